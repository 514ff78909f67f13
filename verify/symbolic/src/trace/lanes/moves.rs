//! Lanes part, go on one after another, and end.

use super::state::{Lanes, Warp};

impl Lanes {
    /// C3: some lanes leave by a branch. `diverges`: whether lanes of one warp may go either way. Those that leave.
    pub fn branch(&mut self, warp: &mut Warp, diverges: bool) -> Lanes {
        let mut gone = self.clone();
        // Before the new pieces begin: those that part stay in one era.
        if let Some(band) = self.band.filter(|_| diverges) {
            gone.band = Some(warp.eras.band(Some(band)));
            self.band = Some(warp.eras.band(Some(band)));
        }
        gone.apart |= diverges;
        self.apart |= diverges;
        gone.new_piece(warp);
        self.new_piece(warp);
        gone
    }

    /// C9: some lanes may end. Those that had waited for others are under way for whoever waited for them.
    pub fn exit(&self, warp: &mut Warp) {
        warp.ended_waiting |= self.apart && (self.waited || self.stopped);
    }

    /// C9: others have gone to where they end.
    pub fn leave_to_end(&mut self) {
        self.ending = true;
    }

    /// C4: they go on one after another.
    pub fn scatter(&mut self, warp: &mut Warp) {
        (self.apart, self.same_ways, self.band) = (true, false, None);
        self.meeting.scatter();
        self.new_piece(warp);
    }
}

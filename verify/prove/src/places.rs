//! The places that an obstacle names.

use sassafras_symbolic::obstacle::container::Container;
use sassafras_symbolic::obstacle::convergence::Convergence;
use sassafras_symbolic::obstacle::coverage::Coverage;
use sassafras_symbolic::obstacle::effort::Effort;
use sassafras_symbolic::obstacle::events::{Events, Nearest};
use sassafras_symbolic::obstacle::freedom::Freedom;
use sassafras_symbolic::obstacle::place::{Claim, Place, Side};
use sassafras_symbolic::obstacle::replay::Replay;
use sassafras_symbolic::obstacle::source::Source;
use sassafras_symbolic::obstacle::uniform::Uniform;
use sassafras_symbolic::obstacle::{Located, Obstacle};

/// Where an obstacle was met, and the places in its fields, in the order of its text. What a solver, a decoder or a judge of hazards says stays a text,
/// in which nothing is looked for.
pub(crate) fn places(located: &Located) -> Vec<Place> {
    let met = located.position.place.clone().map(|place| match (located.position.side, place) {
        // Code that is the source.
        (Some(Side::Source), Place::Offset(at)) => Place::SourceOffset(at),
        (_, place) => place,
    });
    met.into_iter().chain(of_obstacle(&located.obstacle)).collect()
}

fn of_obstacle(obstacle: &Obstacle) -> Vec<Place> {
    match obstacle {
        Obstacle::Unevaluated(located) => places(located),
        Obstacle::Container(why) => match &**why {
            Container::Astray { at, to } => offsets(&[*at, *to]),
            Container::Acquire { at } => offsets(&[*at as u64]),
            Container::Stack { claim, .. } => of_claim(claim),
            _ => Vec::new(),
        },
        Obstacle::Convergence(why) => match &**why {
            Convergence::MayNotCome { at } => offsets(&[*at]),
            Convergence::NotNested { at, lanes_at, .. } => offsets(&[*at, *lanes_at]),
            Convergence::OtherOrder { first, second } => offsets(&[*first, *second]),
            Convergence::WaitForEver { claim } => of_claim(claim),
            Convergence::NestingOpen { because } => of_effort(because),
            _ => Vec::new(),
        },
        Obstacle::Coverage(why) => match &**why {
            Coverage::Open { because } => of_effort(because),
            Coverage::OneTurn { claim } => of_claim(claim),
            Coverage::NoEnd { from: at }
            | Coverage::NoLoop { at }
            | Coverage::CutTwice { at }
            | Coverage::CutState { at }
            | Coverage::CutWrong { at }
            | Coverage::CutUnset { at, .. } => vec![at.clone()],
            Coverage::NoWay { from, to } => vec![from.clone(), to.clone()],
            _ => Vec::new(),
        },
        Obstacle::Effort(why) => of_effort(why),
        Obstacle::Events(why) => of_events(why),
        Obstacle::Freedom(why) => match &**why {
            Freedom::Undefined { claim }
            | Freedom::Approximate { claim }
            | Freedom::Places { claim }
            | Freedom::Flushing { claim }
            | Freedom::Contraction { claim }
            | Freedom::Unbounded { claim } => of_claim(claim),
        },
        Obstacle::Replay(why) => of_replay(why),
        Obstacle::Source(why) => match &**why {
            Source::Demand { claim } => of_claim(claim),
            _ => Vec::new(),
        },
        Obstacle::Uniform(why) => match &**why {
            Uniform::WrittenMeanwhile { at, .. } | Uniform::Called { at, .. } => offsets(&[*at]),
            _ => Vec::new(),
        },
        Obstacle::Evaluation(_)
        | Obstacle::Memory(_)
        | Obstacle::Target(_)
        | Obstacle::Nothing(_)
        | Obstacle::Other(_) => Vec::new(),
    }
}

/// Places in the target's code.
fn offsets(all: &[u64]) -> Vec<Place> {
    all.iter().map(|at| Place::Offset(*at)).collect()
}

fn of_claim(claim: &Claim) -> Vec<Place> {
    match claim {
        Claim::Store(source, target) | Claim::Event(source, target) => vec![source.clone(), target.clone()],
        Claim::Access(place) | Claim::Demand(place) => vec![place.clone()],
        Claim::Stack(at) | Claim::Hardware(at) | Claim::StandIn(at) | Claim::Nesting(at) => offsets(&[*at]),
        Claim::Memory | Claim::Drawn | Claim::Traps | Claim::LoopsEnd | Claim::NoEvent | Claim::Named(_) => {
            Vec::new()
        }
    }
}

fn of_effort(effort: &Effort) -> Vec<Place> {
    match effort {
        Effort::GaveUp { claim, .. } | Effort::Timeout { claim } | Effort::Floats { claim } => {
            of_claim(claim)
        }
        Effort::Work {} | Effort::Time {} | Effort::NoSolver {} | Effort::Assumptions { .. } => Vec::new(),
    }
}

fn of_events(events: &Events) -> Vec<Place> {
    match events {
        Events::TargetLacks { place, nearest, .. } | Events::SourceLacks { place, nearest, .. } => {
            let near = match nearest {
                Nearest::Open(why) => of_effort(why),
                Nearest::None | Nearest::Differs => Vec::new(),
            };
            std::iter::once(place.clone()).chain(near).collect()
        }
        Events::SomeShuffles { place } => vec![place.clone()],
        _ => Vec::new(),
    }
}

fn of_replay(replay: &Replay) -> Vec<Place> {
    match replay {
        Replay::NoLaunch { claim }
        | Replay::GaveUp { claim, .. }
        | Replay::Alike { claim }
        | Replay::Open { claim }
        | Replay::Blocks { claim }
        | Replay::SourceStops { claim, .. }
        | Replay::TargetRefused { claim, .. }
        | Replay::TargetStops { claim, .. }
        | Replay::TargetGoesOn { claim, .. } => of_claim(claim),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_text_and_not_of_names_in_it() {
        let event = Events::TargetLacks {
            event: "an access of line 0x0010".into(),
            place: Place::Line(26),
            nearest: Nearest::Open(Box::new(Effort::Timeout { claim: Claim::Access(Place::Offset(64)) })),
        };
        let located = Located::from(event).on(Side::Target);
        assert_eq!(places(&located), [Place::Line(26), Place::Offset(64)]);
        let mut met = Located::from(Effort::Timeout { claim: Claim::Memory }).on(Side::Source);
        met.position.place = Some(Place::Offset(32));
        assert_eq!(places(&met), [Place::SourceOffset(32)]);
        let stored = Claim::Store(Place::SourceOffset(16), Place::Offset(48));
        let open = Located::from(Replay::Alike { claim: stored });
        assert_eq!(places(&open), [Place::SourceOffset(16), Place::Offset(48)]);
    }
}

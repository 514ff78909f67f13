//! What no way through the choices of a term leads to is left out: what a register held before, where paths come together and none is left
//! on which it was not written. Code that differs in its registers alone is the same without that.

use super::parts::apart;
use super::steps::Found;
use super::{EFFORT, Explanation, FLOATS, Way};
use rustc_hash::FxHashSet;
use sassafras_semantics::TermId;
use sassafras_semantics::term::Node;

/// Most places of a term at which something is left out.
const PLACES: usize = 400;
/// Most times that is done to a term.
const ROUNDS: usize = 4;
/// Most terms of one that is looked at so.
const CHOICES: usize = 1200;
/// The same of what is compared.
const COMPARED: usize = 200;

impl Explanation<'_, '_, '_, '_, '_> {
    /// Whether something may be left out of a term that matters: of what is compared, and of what ends as a lemma's code does.
    pub(super) fn has_choices(&self, t: TermId, form: TermId) -> bool {
        let d = self.so_far.inputs.terms;
        match d.node(t) {
            _ if self.all.chooses => false,
            Node::Compare(..) | Node::FloatRelation { .. } => d.topological(&[form]).len() <= COMPARED,
            _ => matches!(d.node(form), Node::Ite(c, ..) if self.all.ends.contains(&c)),
        }
    }

    /// Leaves out of what is written for a term what no way through its choices leads to, and then of what is left, whose conditions are smaller.
    pub(super) fn choose(&mut self, t: TermId) {
        let form = self.all.forms.normal.of(self.all.forms.to[&t]);
        let rounds = (0..ROUNDS).take_while(|_| self.choose_once(t)).count();
        if rounds > 1 {
            let own = self.all.forms.to[&t];
            self.all.chosen.insert(form, (own, self.so_far.current(t)));
        }
    }

    /// The same once: first at one place, then at twice as many each time until that is too much.
    fn choose_once(&mut self, t: TermId) -> bool {
        let (d, forms) = (self.so_far.inputs.terms, &mut self.all.forms);
        let form = forms.normal.of(forms.to[&t]);
        let mut from = forms.leave(d, form);
        if self.so_far.current(t) != from || d.topological(&[from]).len() > CHOICES {
            return false;
        }
        let (mut ways, mut steps, mut before) = (vec![from], Vec::new(), None);
        let (mut places, mut more, mut most) = (0, 1, PLACES);
        while places < PLACES {
            let forms = &mut self.all.forms;
            let chosen = forms.normal.chosen(form, places + more, self.all.way == Way::Deep);
            let to = forms.leave(d, chosen.term);
            if from == to {
                break;
            }
            let mut differ = |before: Option<&_>| {
                let all = chosen.apart(before).flat_map(|(a, b)| [a, b]);
                all.map(|t| forms.leave(d, t)).collect::<FxHashSet<TermId>>()
            };
            let now = differ(before.as_ref());
            // What was another before counts too: a condition of then and one of now may be the same where they are asked.
            let all = differ(None).union(&now).copied().collect();
            let tries = [apart(d, from, to, &now), apart(d, from, to, &all)];
            let tries = if tries[0] == tries[1] { &tries[..1] } else { &tries };
            // What fails at many places is tried at one.
            let effort = if more == 1 { FLOATS } else { EFFORT };
            let shown = tries.iter().find(|opaque| self.goes(from, to, opaque, &[], effort));
            let Some(opaque) = shown else {
                if more == 1 {
                    break;
                }
                // What is too much once is too much further on as well.
                (more, most) = (more / 2, more / 2);
                continue;
            };
            (places, more) = (places + more, most.min(2 * more));
            steps.push(self.so_far.known.len());
            self.state((from, to), opaque, &[]);
            ways.push(to);
            (from, before) = (to, Some(chosen));
        }
        let [first, .., last] = ways[..] else { return false };
        // What is written for it is not in normal form, but what is written for that is.
        // Nothing more is left out in it: parts of what was normalised before would not be what they were any more.
        let before = std::mem::replace(&mut self.all.chooses, true);
        self.walk(&[last]);
        self.all.chooses = before;
        self.write(Found { from: first, to: last, opaque: &ways, by: &steps, fact: false });
        let (own, now) = (self.all.forms.to[&last], self.so_far.current(last));
        self.all.chosen.insert(form, (own, now));
        self.all.forms.to.insert(t, own);
        true
    }
}

//! What threads of a block have touched of its memory since they last waited for each other.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What is taken for true of conditions that are the same for all threads and not known: the number of each,
/// and whether it holds, in ascending order.
pub type World = SmallVec<[(usize, bool); 2]>;

/// A world in which one condition more is settled; `None` where it is settled otherwise already.
pub fn with(world: &World, condition: usize, holds: bool) -> Option<World> {
    match world.binary_search_by_key(&condition, |&(known, _)| known) {
        Ok(at) => (world[at].1 == holds).then(|| world.clone()),
        Err(at) => {
            let mut world = world.clone();
            world.insert(at, (condition, holds));
            Some(world)
        }
    }
}

/// An element: the number of what it is an element of, and its subscripts.
pub type Element = (usize, SmallVec<[i128; 2]>);

/// A thread's access to an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The number of the access.
    pub site: usize,
    /// The thread.
    pub thread: i64,
    /// Where it happens.
    pub world: World,
}

/// Barriers under conditions that are kept in mind, at most.
const MOST_BARRIERS: usize = 8;

/// The accesses behind the last barrier.
#[derive(Debug, Default)]
pub struct BlockMemory {
    /// Those to each element, with how many of the barriers stand ahead of them.
    touched: FxHashMap<Element, SmallVec<[(Touch, usize); 2]>>,
    /// Barriers behind that one which are reached in some worlds only.
    barriers: Vec<World>,
}

impl BlockMemory {
    /// Forgets all: what comes next meets nothing.
    pub fn clear(&mut self) {
        self.touched.clear();
        self.barriers.clear();
    }

    /// Threads wait for each other, if the world is one of these.
    pub fn wait(&mut self, world: &World) {
        if world.is_empty() || self.barriers.len() == MOST_BARRIERS {
            self.clear();
        } else {
            self.barriers.push(world.clone());
        }
    }

    /// Notes an access. The answer is one by another thread that no barrier separates it from, of those
    /// that `may_race` with it.
    pub fn touch(
        &mut self,
        element: Element,
        touch: Touch,
        may_race: impl Fn(usize) -> bool,
    ) -> Option<Touch> {
        let now = self.barriers.len();
        let all = self.touched.entry(element).or_default();
        let races = all.iter().find(|(earlier, since)| {
            earlier.thread != touch.thread
                && may_race(earlier.site)
                && joint(&earlier.world, &touch.world)
                    .is_some_and(|world| is_open(world, &self.barriers[*since..]))
        });
        if let Some((earlier, _)) = races {
            return Some(earlier.clone());
        }
        // Two threads of one kind are met by any third, and by each of the two.
        let alike = all.iter().filter(|(earlier, since)| {
            *since == now && earlier.site == touch.site && earlier.world == touch.world
        });
        let mut threads = alike.map(|(earlier, _)| earlier.thread);
        let is_needed = match (threads.next(), threads.next()) {
            (Some(first), None) => first != touch.thread,
            (first, _) => first.is_none(),
        };
        if is_needed {
            all.push((touch, now));
        }
        None
    }
}

/// The world in which both happen, where one of them is it: conditions that nobody relates say nothing of
/// each other.
fn joint<'a>(a: &'a World, b: &'a World) -> Option<&'a World> {
    let holds = |part: &World, whole: &World| part.iter().all(|known| whole.contains(known));
    match (holds(a, b), holds(b, a)) {
        (true, _) => Some(b),
        (_, true) => Some(a),
        _ => None,
    }
}

/// Whether there is a way past all barriers: conditions that the world does not settle can be such that
/// none is reached.
fn is_open(world: &World, barriers: &[World]) -> bool {
    let Some((barrier, rest)) = barriers.split_first() else { return true };
    let mut can_be_left = false;
    for &(condition, holds) in barrier {
        match world.iter().find(|(known, _)| *known == condition) {
            Some((_, known)) if *known == holds => {}
            Some(_) => return is_open(world, rest),
            None => {
                can_be_left = can_be_left
                    || with(world, condition, !holds).is_some_and(|world| is_open(&world, rest));
            }
        }
    }
    can_be_left
}

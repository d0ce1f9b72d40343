// Defines which landmarks are connected by lines, and on which side of the body they are.

const chain = (places, side = null) => places.slice(1).map((to, at) => ({ from: places[at], to, side }));

/** The connections used by MediaPipe and COCO. In bodies, `side` is left or right. A hand belongs to one side as a whole. */
const bones = {
  hand21: [[0, 1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16], [17, 18, 19, 20], [0, 5, 9, 13, 17, 0]].flatMap((list) => chain(list)),
  pose33: [
    ...chain([8, 6, 5, 4, 0, 1, 2, 3, 7]), ...chain([9, 10]), ...chain([11, 12, 24, 23, 11]),
    ...chain([11, 13, 15, 17, 19, 15, 21], "left"), ...chain([12, 14, 16, 18, 20, 16, 22], "right"),
    ...chain([23, 25, 27, 29, 31, 27], "left"), ...chain([24, 26, 28, 30, 32, 28], "right"),
  ],
  pose17: [
    ...chain([3, 1, 0, 2, 4]), ...chain([5, 6, 12, 11, 5]), ...chain([5, 7, 9], "left"), ...chain([6, 8, 10], "right"),
    ...chain([11, 13, 15], "left"), ...chain([12, 14, 16], "right"),
  ],
};

/** Returns the lines of a topology, or none if it is unknown. An unnamed topology with 21 points is a hand. */
export function bonesOf(topology, count) {
  const name = typeof topology === "string" ? topology : count === 21 ? "hand21" : "";
  return (bones[name] ?? []).filter((bone) => bone.from < count && bone.to < count);
}

/** Returns the names in a topology such as `tool(tip,end)`; none if there are more than 24, which would be unreadable. */
export function namesOf(topology) {
  const list = /^[^(]*\((.*)\)$/.exec(typeof topology === "string" ? topology : "");
  const names = list ? list[1].split(",") : [];
  return names.length <= 24 ? names : [];
}

export const handSide = (handedness) => (handedness === "Left" ? "left" : handedness === "Right" ? "right" : null);

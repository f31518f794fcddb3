/** Up to here keys are put in order by hand: the engine's sort costs more than the rest of the walk over a small object. */
const BY_HAND_MAX = 24;

/** The names of an object's own members, in the order of their UTF-16 units, as `Array.prototype.sort` has them. */
export function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  if (keys.length > BY_HAND_MAX) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] ?? '';
    let before = at - 1;
    for (; before >= 0 && (keys[before] ?? '') > key; before--) keys[before + 1] = keys[before] ?? '';
    keys[before + 1] = key;
  }
  return keys;
}

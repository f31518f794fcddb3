/** What tells one flow from another, as two independent numbers of 32 bits. */
export interface FlowHash {
  readonly low: number;
  readonly high: number;
}

/** The hash of a flow: of whose flow schema it is and who (or which namespace) asks. */
export function hashFlow(schema: string, distinguisher: string): FlowHash {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  const take = (unit: number): void => {
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13);
  };
  for (let i = 0; i < schema.length; i++) take(schema.charCodeAt(i));
  take(0x10000);
  for (let i = 0; i < distinguisher.length; i++) take(distinguisher.charCodeAt(i));
  return { low: mixed(low), high: mixed(high) };
}

/**
 * Deals a hand of different queues out of `deck`, the same for the same flow every time. Two flows seldom share more
 * than a few of their queues, so that a quiet one nearly always has one that no noisy one fills.
 */
export function dealHand({ low, high }: FlowHash, deck: number, size: number): readonly number[] {
  const hand: number[] = [];
  for (let dealt = 0; dealt < Math.min(size, deck); dealt++) {
    const draw = mixed(low ^ Math.imul(high, 2 * dealt + 1) ^ Math.imul(dealt, 0x9e3779b9));
    hand.push(cardAt(hand, draw % (deck - dealt)));
  }
  return hand;
}

/** The card that stands at this place of the deck, once those in the hand are gone. */
function cardAt(hand: readonly number[], place: number): number {
  let card = place;
  for (const gone of hand.toSorted((a, b) => a - b)) if (gone <= card) card++;
  return card;
}

/** Spreads what differs in any bit over all 32 (the finisher of MurmurHash3). */
function mixed(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

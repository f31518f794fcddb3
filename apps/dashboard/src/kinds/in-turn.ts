/**
 * Takes answers as they come, but none after one that was asked for later: a slow answer is better than none, and never
 * takes the place of a younger one.
 */
export function inTurn<T>(take: (answer: T) => void): (ask: () => Promise<T>) => void {
  let asked = 0;
  let taken = 0;
  return (ask) => {
    asked += 1;
    const turn = asked;
    void ask().then((answer) => {
      if (turn < taken) return;
      taken = turn;
      take(answer);
    });
  };
}

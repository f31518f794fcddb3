/** Lines of text that comes in pieces cut anywhere; blank ones are none. A line that is not whole yet waits for the rest of it. */
export class Lines {
  /** Of the line that is not whole yet: large objects come in many pieces, each of which is looked at once. */
  #rest: string[] = [];

  /** The lines that are whole now. */
  take(piece: string): readonly string[] {
    const [first = '', ...more] = piece.split('\n');
    this.#rest.push(first);
    const last = more.pop();
    if (last === undefined) return [];
    const lines = [this.#rest.join(''), ...more];
    this.#rest = [last];
    return lines.filter((line) => line !== '');
  }
}

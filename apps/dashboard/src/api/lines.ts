/** Lines of text that comes in pieces cut anywhere. A line that is not whole yet waits for the next piece. */
export class Lines {
  #rest = '';

  /** The lines that are whole now. */
  take(piece: string): readonly string[] {
    const lines = (this.#rest + piece).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.filter((line) => line !== '');
  }
}

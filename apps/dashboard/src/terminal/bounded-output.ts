/** What is written to a terminal and not drawn yet, bytes; what comes faster than it is drawn would fill the tab. */
const WAITING_MAX = 8 * 1024 * 1024;

/** Where output is drawn; `drawn` is called when it is. */
export type Draw = (output: Uint8Array | string, drawn: () => void) => void;

/** Lets through what a terminal can draw; of a flood a part is left out, and the terminal says how much. */
export function boundedOutput(draw: Draw): (bytes: Uint8Array) => void {
  let waiting = 0;
  let lost = 0;
  const tellLost = (): void => {
    if (lost === 0 || waiting > 0) return;
    const told = `\r\n[${lost} bytes came faster than they can be shown]\r\n`;
    lost = 0;
    draw(told, () => undefined);
  };
  const write = (bytes: Uint8Array): void => {
    waiting += bytes.length;
    draw(bytes, () => {
      waiting -= bytes.length;
      tellLost();
    });
  };
  return (bytes) => {
    // Once something is left out, what comes behind it is too, until all is drawn: no piece stands in a wrong place.
    if (lost === 0 && waiting + bytes.length <= WAITING_MAX) return write(bytes);
    lost += bytes.length;
    // Of one piece that is more than all that may wait nothing is drawn that could tell of it.
    return tellLost();
  };
}

/** What is longer is not kept: nothing that a kubelet is sent is. */
const BYTES_MAX = 1024;

/** A body as text, as far as a kubelet takes one; the rest is read and not kept. */
export async function smallText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const kept = new Uint8Array(BYTES_MAX);
  let length = 0;
  for await (const piece of body) {
    const taken = piece.subarray(0, BYTES_MAX - length);
    kept.set(taken, length);
    length += taken.length;
  }
  return new TextDecoder().decode(kept.subarray(0, length));
}

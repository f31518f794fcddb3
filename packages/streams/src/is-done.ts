/** Whether a piece of work came to its end: for what may fail when the other side has gone, which is told elsewhere. */
export async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    // The answer says so; by what, the connection tells its owner.
    return false;
  }
}

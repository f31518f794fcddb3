import type { ApiCall, CallSink, Wire } from './wire.ts';

/** A `batch` of a wire that looks at each call by itself, or has nothing to spare: all of them at once. */
export async function callEach(call: Wire['call'], calls: readonly ApiCall[], settled: CallSink): Promise<void> {
  await Promise.all(calls.map((one, at) => tellCall(call(one), at, settled)));
}

/** Tells what becomes of one of several calls. Never rejects. */
export async function tellCall(answer: Promise<unknown>, at: number, settled: CallSink): Promise<void> {
  let value: unknown;
  try {
    value = await answer;
  } catch (reason) {
    settled(at, { status: 'rejected', reason });
    return;
  }
  settled(at, { status: 'fulfilled', value });
}

import { join } from 'node:path';
import { takeTestRanges } from '@binnacle/base/testing';
import { makeFolder } from '@binnacle/testkit';
import { buildExampleImage, connectBareCri } from './bare-cri.ts';
import type { BareCri } from './bare-cri.ts';
import { startProgram } from './program.ts';
import type { RunningProgram } from './program.ts';

/** Acts on the bundle with real containers, the example's image on its node, and bare CRI on the same containerd. */
export async function onContainerd<T>(
  flags: readonly string[],
  act: (program: RunningProgram, bare: BareCri) => Promise<T>,
): Promise<T> {
  const folder = makeFolder();
  const archive = join(folder.path, 'image.tar');
  await buildExampleImage(archive);
  const ranges = await takeTestRanges();
  const program = await startProgram([
    ...['--runtime', 'containerd', '--pod-cidr', ranges.pods, '--image', archive],
    ...flags,
  ]);
  try {
    const bare = await connectBareCri(program.runtimeEndpoint(), folder.path);
    try {
      return await act(program, bare);
    } finally {
      await bare.close();
    }
  } finally {
    await program.stop();
    ranges.release();
    folder.remove();
  }
}

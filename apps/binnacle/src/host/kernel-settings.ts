import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@binnacle/base';
import type { Logger } from '@binnacle/base';
import type { KernelSetting } from '@binnacle/proxy';

/** Raises what is lower on this machine. A setting that it does not have, or not let us make, is told and left. `root`: where its files are. */
export async function raiseSettings(settings: readonly KernelSetting[], log: Logger, root = '/'): Promise<void> {
  for (const { file, value } of settings) {
    try {
      const path = join(root, file);
      if (Number(await readFile(path, 'utf8')) < value) await writeFile(path, `${value}`);
    } catch (error) {
      log.warn('a setting of the kernel is left as it is', { file, value, reason: messageOf(error) });
    }
  }
}

/** How soon the kernel ends this process where memory is short. Told where it may not be said. */
export async function setOomScore(adjustment: number, log: Logger): Promise<void> {
  try {
    await writeFile('/proc/self/oom_score_adj', `${adjustment}`);
  } catch (error) {
    log.warn('oomScoreAdj cannot be set', { adjustment, reason: messageOf(error) });
  }
}

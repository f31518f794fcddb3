import type { KubeletConfig } from '../config.ts';
import { isPodUid } from '../container/pod-uid.ts';
import type { HostFiles } from '../ports.ts';

interface Place {
  readonly config: Pick<KubeletConfig, 'rootDirectory' | 'podLogsDirectory'>;
}

/** `<namespace>_<name>_<uid>`; none of the three has an underscore. */
const LOG_FOLDER = /^[^_]+_[^_]+_([^_]+)$/;

/**
 * The UIDs of pods that have a folder or logs on the node. Containers may write where logs are (a log collector does): a folder
 * there that is named after a path instead is nobody's, and what the path leads to is not removed for it.
 */
export async function leftPods({ config }: Place, files: HostFiles): Promise<ReadonlySet<string>> {
  const logs = await files.list(config.podLogsDirectory);
  const pods = await files.list(`${config.rootDirectory}/pods`);
  const uids = [...pods, ...logs.flatMap((name) => LOG_FOLDER.exec(name)?.[1] ?? [])];
  return new Set(uids.filter(isPodUid));
}

/** Removes both, once nothing is mounted there any more. */
export async function removeFolders({ config }: Place, files: HostFiles, uid: string): Promise<void> {
  await files.remove(`${config.rootDirectory}/pods/${uid}`);
  for (const name of await files.list(config.podLogsDirectory)) {
    if (LOG_FOLDER.exec(name)?.[1] === uid) await files.remove(`${config.podLogsDirectory}/${name}`);
  }
}

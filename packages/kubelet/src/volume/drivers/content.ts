/** Volumes whose files the kubelet writes: kept fresh, read-only to containers, swapped as a whole. */
import type { Volume } from '@binnacle/api/core/v1';
import { writePayload } from '../atomic.ts';
import type { VolumeCall, VolumeDriver } from '../driver.ts';
import { type PayloadFile, volumePayload } from '../payload.ts';

/** Keys of a ConfigMap as files. */
export const configMapDriver = contentDriver('configMap', 'configmap');
/** Keys of a Secret as files, in memory. */
export const secretDriver = contentDriver('secret', 'secret');
/** Fields of the pod as files. */
export const downwardDriver = contentDriver('downwardAPI', 'downward-api');
/** Several of these in one folder, and tokens. */
export const projectedDriver = contentDriver('projected', 'projected');

function contentDriver(source: keyof Volume, plugin: string): VolumeDriver {
  return {
    source,
    plugin,
    async setUp(call) {
      const mounted = { hostPath: call.directory, readOnly: true };
      return call.files === undefined ? mounted : { ...mounted, refreshAt: await write(call, call.files) };
    },
  };
}

async function write(call: VolumeCall, files: NonNullable<VolumeCall['files']>): Promise<number> {
  const { pod, volume, directory, memory, now } = call;
  const payload = await volumePayload(call);
  const print = fingerprint(payload.files);
  if (memory.get('print') === print) return payload.refreshAt;
  if (holdsSecrets(volume)) {
    await files.makeDirectory(directory, 0o755);
    await files.mountTmpfs(directory, 0);
  }
  const gid = pod.spec.securityContext?.fsGroup;
  await writePayload(files, directory, { entries: payload.files, stamp: now, ...(gid === undefined ? {} : { gid }) });
  memory.set('print', print);
  return payload.refreshAt;
}

/** Secrets and tokens are kept in memory, never on disk. */
function holdsSecrets(volume: Volume): boolean {
  return (
    volume.secret !== undefined ||
    volume.projected?.sources?.some((s) => s.secret !== undefined || s.serviceAccountToken !== undefined) === true
  );
}

function fingerprint(entries: ReadonlyMap<string, PayloadFile>): string {
  const decoder = new TextDecoder('latin1');
  return JSON.stringify([...entries].map(([path, e]) => [path, e.mode, e.owner, decoder.decode(e.content)]));
}

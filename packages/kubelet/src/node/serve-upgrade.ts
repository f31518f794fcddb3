import { StreamRefusal } from '../errors.ts';
import type { Kubelet } from '../kubelet.ts';
import type { KubeletStreams } from '../pod/streams.ts';
import { refusalOf } from '../server/answer.ts';
import { portsOf, serveSession } from '../server/serve-streams.ts';
import type { Act } from '../server/serve-streams.ts';
import { parseStreamRequest } from '../server/stream-request.ts';
import type { StreamRequest } from '../server/stream-request.ts';
import { openCommand, refuseUpgrade, serveForward } from './upgrade.ts';
import type { UpgradeRequest } from './upgrade.ts';

/** Exec, attach and port-forward: the connection changes its protocol, or is refused in HTTP. */
export async function serveStreams(
  kubelet: Pick<Kubelet, 'streams' | 'config'>,
  upgrade: UpgradeRequest,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): Promise<void> {
  try {
    const refusal = refusalOf(kubelet, { path, method: upgrade.request.method ?? 'GET' });
    if (refusal !== undefined) throw new StreamRefusal(refusal.status, refusal.text);
    const wanted = parseStreamRequest(path, query);
    if (wanted === undefined) throw new StreamRefusal(404, '404 page not found');
    await serveStream(kubelet.streams, upgrade, wanted);
  } catch (error) {
    if (!(error instanceof StreamRefusal)) throw error;
    refuseUpgrade(upgrade.socket, error.httpCode, error.message);
  }
}

async function serveStream(streams: KubeletStreams, upgrade: UpgradeRequest, wanted: StreamRequest): Promise<void> {
  if (wanted.kind === 'portForward') {
    return serveForward(upgrade, wanted.ports, portsOf(streams, streams.sandbox(wanted.place)));
  }
  const id = streams.container(wanted.place);
  const session = await openCommand(upgrade, wanted.flags);
  if (session === undefined) return undefined;
  const { tty } = wanted.flags;
  if (wanted.kind === 'attach') {
    const attach: Act = (io) => streams.attach(id, io).then(() => undefined);
    return serveSession(session, attach, {
      tty,
      failed: 'error attaching to container',
      exited: 'the container ended',
    });
  }
  const { command } = wanted;
  const words = {
    tty,
    failed: 'error executing command in container',
    exited: `error executing command [${command.join(' ')}]`,
  };
  return serveSession(session, (io) => streams.runCommand(id, command, io), words);
}

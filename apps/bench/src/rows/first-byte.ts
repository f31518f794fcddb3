import { connect } from 'node:net';
import { join } from 'node:path';
import { PODS, SERVICES } from '@binnacle/api';
import type { Pod } from '@binnacle/api/core/v1';
import { takeTestRanges } from '@binnacle/base/testing';
import type { Client } from '@binnacle/client';
import { makeFolder, waitFor } from '@binnacle/testkit';
import { buildExampleImage, IMAGE } from '../bare-cri.ts';
import { BenchError } from '../errors.ts';
import { pass, startProgram } from '../program.ts';
import { figure, median } from '../row.ts';
import type { Measurement } from '../row.ts';

const ROUNDS = 10;
const PORT = 8080;
const DEADLINE_MS = 20_000;
/** What the pod before has left behind is done, and another one's changes are not waited for. */
const SETTLE_MS = 1_500;
const LABELS = { app: 'web' };

/** From when a watcher hears that a pod is Ready to its first byte through its Service, asked from the machine. */
export const firstByte: Measurement = {
  name: 'first-byte',
  async run() {
    const folder = makeFolder();
    const archive = join(folder.path, 'image.tar');
    await buildExampleImage(archive);
    const ranges = await takeTestRanges();
    const flags = ['--pod-cidr', ranges.pods, '--image', archive, '--ingress', 'off'];
    const program = await startProgram(['--runtime', 'containerd', ...flags]);
    try {
      const spec = { selector: LABELS, ports: [{ port: 80, targetPort: PORT }] };
      const service = await program.client.resource(SERVICES, 'default').create({ metadata: { name: 'web' }, spec });
      const waits: number[] = [];
      for (let at = 0; at < ROUNDS; at++)
        waits.push(await measureOne(program.client, `web-${at}`, service.spec?.clusterIP ?? ''));
      const all = waits.toSorted((a, b) => a - b);
      const span = `least ${all[0]?.toFixed(0)}, most ${all.at(-1)?.toFixed(0)}`;
      const value = Number(median(waits).toFixed(1));
      return [figure({ name: `pod Ready → first byte by its Service (${span})`, value, unit: 'ms', reference: null })];
    } finally {
      await program.stop();
      ranges.release();
      folder.remove();
    }
  },
};

async function measureOne(client: Client, name: string, host: string): Promise<number> {
  const api = client.resource(PODS, 'default');
  const readinessProbe = { tcpSocket: { port: PORT }, periodSeconds: 1 };
  const command = ['sh', '-c', `mkdir /w; echo ready >/w/index.html; exec httpd -f -p ${PORT} -h /w`];
  const of = { client, resource: PODS, namespace: 'default', name, deadlineMs: DEADLINE_MS };
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
  await pass(SETTLE_MS);
  await api.create({
    metadata: { name, labels: LABELS },
    spec: { containers: [{ name: 'web', image: IMAGE, command, readinessProbe }], terminationGracePeriodSeconds: 0 },
  });
  await waitFor({ ...of, what: `${name} to be ready`, until: (pods) => pods.some(isReady) });
  const from = performance.now();
  while (!(await isAnswered(host))) {
    if (performance.now() - from > DEADLINE_MS) throw new BenchError(`${name} is not answered for`);
    await pass(1);
  }
  const took = performance.now() - from;
  await api.delete(name);
  await waitFor({ ...of, what: `${name} to go`, until: (pods) => pods.length === 0 });
  return took;
}

/** A Service without endpoints refuses at once. */
function isAnswered(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(80, host, () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('data', () => {
      resolve(true);
      socket.destroy();
    });
  });
}

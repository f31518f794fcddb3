import { dockerEndpoint } from '@binnacle/cluster/node/docker-node';
import { importImage, buildBusyboxImage } from '@binnacle/runtime/cri';
import { UsageError } from '../errors.ts';
import { openDataDir, workerSocket } from '../host/data-dir.ts';
import { readRunning } from '../host/run-file.ts';

/** The page that the example's web server shows. */
const PAGE = '<!doctype html><title>Binnacle</title><h1>It runs.</h1>\n';

/** `binnacle image load FILE…`: OCI archives into the running node. */
export async function loadImages(files: readonly string[], options: { readonly dataDir: string }): Promise<void> {
  const dataDir = openDataDir(options.dataDir);
  const running = readRunning(dataDir);
  if (running === undefined) throw new UsageError('no cluster runs here; start one with: binnacle up');
  if (running.server === '') throw new UsageError('the cluster is still starting; try again when it is ready');
  if (running.runtimeEndpoint === undefined) {
    throw new UsageError('the nodes of this cluster are simulated: they have every image');
  }
  const further = (running.workers ?? []).map((name) => `unix://${workerSocket(dataDir, name)}`);
  for (const file of files) {
    for (const endpoint of [running.runtimeEndpoint, ...further]) await loadInto(endpoint, file);
    process.stderr.write(`binnacle: loaded ${file}\n`);
  }
}

async function loadInto(endpoint: string, file: string): Promise<void> {
  const docker = dockerEndpoint(endpoint);
  if (docker === undefined) return importImage(endpoint, file);
  const { loadDockerImages } = await import('@binnacle/runtime/docker');
  await loadDockerImages(docker, file);
}

/** `binnacle image build-example FILE`: the image of examples/, from this machine's busybox. */
export async function buildExampleImage(
  file: string,
  options: { readonly ref: string; readonly entrypoint?: string },
): Promise<void> {
  const { entrypoint } = options;
  const web = { Cmd: ['httpd', '-f', '-p', '80', '-h', '/www'], ExposedPorts: { '80/tcp': {} } };
  await buildBusyboxImage(file, {
    refs: [options.ref],
    files: [
      { kind: 'directory', path: 'www', mode: 0o755 },
      { kind: 'file', path: 'www/index.html', content: new TextEncoder().encode(PAGE), mode: 0o644 },
    ],
    config: entrypoint === undefined ? web : { Entrypoint: [entrypoint], Cmd: [] },
  });
  process.stderr.write(`binnacle: wrote ${options.ref} to ${file}\n`);
}

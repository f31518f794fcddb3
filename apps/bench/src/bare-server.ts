import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endChild, firstLine } from './program.ts';

/** A server in a process of its own that answers everything with the same body: what Node alone can do. */
export async function startBareServer(
  pki: string,
  body: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), pki], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(body);
  const port = await firstLine(child, 'bare server');
  return { url: `https://127.0.0.1:${port}/`, stop: () => endChild(child) };
}

function serve(pki: string): void {
  const body = readFileSync(0);
  const server = createSecureServer({
    cert: readFileSync(join(pki, 'apiserver.crt')),
    key: readFileSync(join(pki, 'apiserver.key')),
    allowHTTP1: true,
  });
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/json', 'content-length': body.length });
    stream.end(body);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${(server.address() as { port: number }).port}\n`);
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serve(process.argv[2] ?? '');

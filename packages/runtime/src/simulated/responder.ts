import { createDuplexPair } from '@binnacle/base';
import type { Duplex } from '@binnacle/base';

const HEAD_BYTES_MAX = 64 * 1024;

/** A connection to a container that answers every HTTP/1.1 request with the same body. */
export function connectResponder(body: string): Duplex {
  const [near, far] = createDuplexPair();
  answerAll(far, body).catch((error: unknown) => far.abort(error as Error));
  return near;
}

async function answerAll(stream: Duplex, body: string): Promise<void> {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('latin1');
  const length = encoder.encode(body).length;
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${length}\r\n`;
  let text = '';
  for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
    text += decoder.decode(chunk);
    for (let end = text.indexOf('\r\n\r\n'); end !== -1; end = text.indexOf('\r\n\r\n')) {
      const request = text.slice(0, end);
      const sent = Number(/^content-length: *(\d+)/im.exec(request)?.[1] ?? 0);
      if (text.length < end + 4 + sent) break;
      text = text.slice(end + 4 + sent);
      const last = /^connection: *close/im.test(request);
      await stream.write(
        encoder.encode(`${head}${last ? 'connection: close\r\n' : ''}\r\n${request.startsWith('HEAD ') ? '' : body}`),
      );
      if (last) await stream.end();
      if (last) return;
    }
    if (text.length > HEAD_BYTES_MAX) break;
  }
  await stream.end();
}

import type { ServerResponse } from 'node:http';
import type { ServerAnswer } from '../server/answer.ts';

/** Sends an answer at the reader's pace, until it is complete or the signal aborts. */
export async function sendAnswer(response: ServerResponse, answer: ServerAnswer, signal: AbortSignal): Promise<void> {
  response.writeHead(answer.status, {
    'content-type': answer.contentType,
    ...(answer.allow === undefined ? {} : { allow: answer.allow }),
    ...(answer.warning === undefined ? {} : { warning: answer.warning }),
  });
  if (typeof answer.body === 'string') {
    response.end(answer.body);
    return;
  }
  response.flushHeaders();
  for await (const part of answer.body) {
    if (signal.aborted) return;
    if (!response.write(part)) await drained(response, signal);
  }
  response.end();
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    response.on('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

import { HttpConnectError } from '@binnacle/base';
import type { HttpCall, HttpCaller, HttpReply, HttpUpgraded } from '@binnacle/base';

/** What an answer without a wire is made of. */
export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: HttpReply['headers'];
  readonly body?: unknown;
}

/** Other servers, without a wire: answers by method and path, and what was asked. */
export class FakeHttp implements HttpCaller {
  readonly asked: HttpCall[] = [];
  answer: (call: HttpCall, path: string) => FakeAnswer | undefined;

  /** `answer`: undefined where nobody listens. */
  constructor(answer: FakeHttp['answer']) {
    this.answer = answer;
  }

  async request(call: HttpCall): Promise<HttpReply> {
    this.asked.push(call);
    const { pathname, search } = new URL(call.url);
    const found = this.answer(call, `${pathname}${search}`);
    if (found === undefined) {
      const why = `dial tcp ${new URL(call.url).host}: connect: connection refused`;
      throw new HttpConnectError(call, { fault: 'dial', why });
    }
    const { status = 200, headers = {}, body = '' } = found;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return {
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: (async function* () {
        if (text !== '') yield new TextEncoder().encode(text);
      })(),
    };
  }

  upgrade(call: HttpCall): Promise<HttpReply | HttpUpgraded> {
    return this.request(call);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

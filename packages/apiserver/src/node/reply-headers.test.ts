import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../catalogue/definition.ts';
import type { Exchange } from '../request/exchange.ts';
import { headersOf } from './reply-headers.ts';

const ALWAYS = { 'cache-control': 'no-cache, private', 'audit-id': 'id' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Row {
  readonly name: string;
  readonly exchange?: object;
  readonly reply: object;
  readonly type?: string;
  readonly wanted: object;
}

const object = (code: number, details?: object): object => ({ kind: 'object', code, object: { details } });

describe('the headers of a reply', () => {
  const rows: readonly Row[] = [
    { name: 'of an object', reply: object(200), wanted: JSON_TYPE },
    { name: 'of nothing', reply: { kind: 'stream' }, type: '', wanted: {} },
    {
      name: 'whose level and schema it was',
      exchange: { flow: { levelUid: 'l', schemaUid: 's' } },
      reply: object(200),
      wanted: { ...JSON_TYPE, 'x-kubernetes-pf-prioritylevel-uid': 'l', 'x-kubernetes-pf-flowschema-uid': 's' },
    },
    {
      name: 'each warning a line of its own',
      exchange: { warnings: ['a', 'say "b"'] },
      reply: object(200),
      wanted: { ...JSON_TYPE, warning: ['299 - "a"', '299 - "say \\"b\\""'] },
    },
    {
      name: 'when to try again',
      reply: object(429, { retryAfterSeconds: 3 }),
      wanted: { ...JSON_TYPE, 'retry-after': '3' },
    },
    { name: 'at once is no time', reply: object(500, { retryAfterSeconds: 0 }), wanted: JSON_TYPE },
    { name: 'no time', reply: object(404, {}), wanted: JSON_TYPE },
    { name: 'nothing went wrong', reply: object(201, { retryAfterSeconds: 3 }), wanted: JSON_TYPE },
    {
      name: 'what a text brings',
      reply: { kind: 'text', code: 200, headers: { etag: '"x"' } },
      wanted: { ...JSON_TYPE, etag: '"x"' },
    },
    {
      name: "somebody else's word counts, but for whose request it was",
      reply: {
        kind: 'stream',
        headers: { 'cache-control': 'max-age=9', 'audit-id': 'theirs', 'content-type': 'text/css' },
      },
      wanted: { 'content-type': 'text/css', 'cache-control': 'max-age=9' },
    },
    {
      name: "somebody else's warning beside ours",
      exchange: { warnings: ['ours'] },
      reply: { kind: 'stream', headers: { warning: '299 - "theirs"' } },
      wanted: { ...JSON_TYPE, warning: ['299 - "theirs"', '299 - "ours"'] },
    },
    {
      name: "somebody else's warnings",
      exchange: { warnings: ['c'] },
      reply: { kind: 'stream', headers: { warning: ['a', 'b'] } },
      wanted: { ...JSON_TYPE, warning: ['a', 'b', '299 - "c"'] },
    },
  ];
  for (const { name, exchange = {}, reply, type = 'application/json', wanted } of rows) {
    test(name, () => {
      const full = { auditId: 'id', warnings: [], flow: undefined, ...exchange } as unknown as Exchange;
      assert.deepEqual({ ...headersOf(full, reply as Reply, type) }, { ...ALWAYS, ...wanted });
    });
  }
});

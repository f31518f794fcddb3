import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest } from '../request/api-request.ts';
import { requestInfo } from '../request/info.ts';
import { parseQuery } from '../request/query.ts';
import { estimateWork } from './request-work.ts';

/** 100 kB an object: a seat each. */
const STOCK = { objects: 60, bytes: 6_000_000 };
const stock = {
  stockOf: ({ resource }: { resource: string }) => (resource === 'pods' ? STOCK : undefined),
  watchersOf: () => 25,
};

function estimate(asked: string, seatsMax?: number): ReturnType<typeof estimateWork> {
  const [method = '', url = ''] = asked.split(' ');
  const [path = '', text = ''] = url.split('?');
  const query = parseQuery(text);
  return estimateWork(stock, { info: requestInfo({ method, path, query } as ApiRequest), query }, seatsMax);
}

describe('how wide a request is', () => {
  const PODS = '/api/v1/namespaces/n/pods';
  const cached = 10;
  type Row = readonly [asked: string, initialSeats: number, finalSeats?: number, seatsMax?: number];
  const rows: readonly Row[] = [
    ['GET /healthz', 1],
    [`GET ${PODS}/p`, 1],
    [`GET ${PODS}`, cached],
    [`GET ${PODS}?limit=3`, 3],
    [`GET ${PODS}?limit=-3`, cached],
    [`GET ${PODS}?limit=many`, cached],
    [`GET ${PODS}?limit=1e99`, cached],
    [`GET ${PODS}?fieldSelector=metadata.name%3Dp`, 1],
    [`GET ${PODS}?continue=x`, 60],
    [`GET ${PODS}?continue=x`, 4, 0, 4],
    [`GET ${PODS}?continue=x&limit=3`, 3],
    [`GET ${PODS}?continue=x&limit=3&labelSelector=a`, 30],
    [`GET ${PODS}?resourceVersion=7&resourceVersionMatch=Exact`, 60],
    ['GET /api/v1/nodes', 1],
    [`GET ${PODS}?watch=1`, cached],
    [`GET ${PODS}?watch=1&resourceVersion=0`, cached],
    [`GET ${PODS}?watch=1&resourceVersion=7`, 1],
    [`GET ${PODS}?watch=1&resourceVersion=7&sendInitialEvents=true`, cached],
    [`GET ${PODS}?watch=1&resourceVersion=7&sendInitialEvents=false`, 1],
    [`POST ${PODS}`, 1, 3],
    [`PUT ${PODS}/p`, 1, 3],
    [`PATCH ${PODS}/p`, 1, 3],
    [`DELETE ${PODS}/p`, 1, 3],
    [`DELETE ${PODS}/p`, 1, 2, 2],
    [`DELETE ${PODS}`, 1],
    ['POST /api/v1/namespaces/n/serviceaccounts/a/token', 1],
    ['POST /api/v1/namespaces/n/serviceaccounts', 1, 3],
    [`CONSTRUCTOR ${PODS}`, 1],
  ];
  for (const [asked, initialSeats, finalSeats = 0, seatsMax] of rows) {
    test(`${asked}${seatsMax === undefined ? '' : ` of ${seatsMax} seats`}`, () => {
      const { work, watchers } = estimate(asked, seatsMax);
      assert.deepEqual([work.initialSeats, work.finalSeats], [initialSeats, finalSeats]);
      assert.equal(watchers, finalSeats === 0 ? undefined : 25);
    });
  }
});

import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { takesGzip } from './takes-gzip.ts';

const ROWS: readonly (readonly [header: string, takes: boolean])[] = [
  ['gzip', true],
  ['gzip, deflate, br, zstd', true],
  ['deflate , GZIP;q=0.5', true],
  ['x-gzip', true],
  ['gzip; q=0.001', true],
  ['gzip;q=1.0', true],
  ['', false],
  ['*', false],
  ['identity', false],
  ['br', false],
  ['gzip;q=0', false],
  ['gzip ; q=0.000 , identity', false],
  ['identity, gzip;Q=0.', false],
  ['not-gzip', false],
  ['gzipped', false],
  [`${' '.repeat(60_000)}gzip${' '.repeat(60_000)}x`, false],
];

for (const [header, takes] of ROWS)
  test(`Accept-Encoding: ${header.slice(0, 40)}`, () => equal(takesGzip(header), takes));

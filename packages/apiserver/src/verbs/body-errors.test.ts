import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest } from '../request/api-request.ts';
import { StatusError } from '@binnacle/machinery';
import { contentType } from './body.ts';
import { wrongShape } from './body-errors.ts';

const POD = { group: '', version: 'v1', kind: 'Pod', schema: 'core.v1.Pod' };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a body that does not decode', () => {
  type Input = Parameters<typeof wrongShape>[2];
  const unrecognised = 'the object provided is unrecognized (must be of type Pod): ';
  const rows: readonly (readonly [name: string, why: string, input: Input, message: string])[] = [
    ['nothing', 'EOF', {}, `${unrecognised}EOF (<empty>)`],
    ['nothing again', 'EOF', { bytes: bytes('') }, `${unrecognised}EOF (<empty>)`],
    [
      'no document',
      'oops',
      { bytes: bytes('{"a"') },
      `${unrecognised}couldn't get version/kind; json parse error: oops ({"a")`,
    ],
    [
      'a long one is cut',
      'oops',
      { bytes: bytes(`{${'a'.repeat(40)}`) },
      `${unrecognised}couldn't get version/kind; json parse error: oops ({${'a'.repeat(29)} ...)`,
    ],
    [
      'one of just the length that is shown',
      'oops',
      { bytes: bytes(`{${'a'.repeat(29)}`) },
      `${unrecognised}couldn't get version/kind; json parse error: oops ({${'a'.repeat(29)})`,
    ],
    [
      'what is no text',
      'oops',
      { bytes: Uint8Array.of(0x6b, 0x38, 0x73, 0x00, 0xff) },
      `${unrecognised}couldn't get version/kind; json parse error: oops (6b387300ff)`,
    ],
    [
      'as what it says that it is',
      'oops',
      { found: { kind: 'Job', apiVersion: 'batch/v1' } },
      'Job in version "v1" cannot be handled as a Pod: oops',
    ],
    [
      'as what is wanted',
      'oops',
      { found: { kind: '', apiVersion: '' } },
      'Pod in version "v1" cannot be handled as a Pod: oops',
    ],
    [
      'with what it says of itself',
      'oops',
      { found: { kind: '', apiVersion: 'v2' } },
      'Pod in version "v2" cannot be handled as a Pod: oops',
    ],
  ];
  for (const [name, why, input, message] of rows) {
    test(name, () => {
      const { status } = wrongShape(POD, why, input);
      assert.deepEqual([status.code, status.reason, status.message], [400, 'BadRequest', message]);
    });
  }
});

describe('the media type of a body', () => {
  const served = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];
  const refused =
    'the body of the request was in an unknown format - accepted media types include: ' +
    'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const rows: readonly (readonly [header: string, type: string])[] = [
    ['', 'application/json'],
    ['application/json', 'application/json'],
    ['application/yaml', 'application/yaml'],
    ['application/json; charset=utf-8', 'application/json'],
    ['Application/JSON', 'application/json'],
    ['application/yaml;x="a;b"', 'application/yaml'],
    ['application/x-www-form-urlencoded', 'application/json'],
    ['*/*', 'application/json'],
    ['text/plain', refused],
    ['application/cbor', refused],
    ['constructor', refused],
    ['application/json,application/yaml', refused],
    [';', refused],
  ];
  for (const [header, wanted] of rows) {
    test(header === '' ? 'nothing said' : header, () => {
      const request = { header: () => header } as unknown as Pick<ApiRequest, 'header'>;
      const outcome = (): string => {
        try {
          return contentType(request, served);
        } catch (error) {
          if (error instanceof StatusError && error.status.code === 415) return error.message;
          throw error;
        }
      };
      assert.equal(outcome(), wanted);
    });
  }
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, HTTPGetAction } from '@binnacle/api/core/v1';
import { httpRequest, portNumber } from './http-action.ts';

const container: Container = {
  name: 'main',
  image: 'i',
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'constructor', containerPort: 1 },
  ],
};
const of = { container, podIP: '10.1.0.2', timeoutMs: 1000 };
const request = (get: Partial<HTTPGetAction>) => httpRequest({ port: 80, ...get }, of);

test('a request with nothing said', () =>
  assert.deepEqual(request({}), {
    scheme: 'HTTP',
    host: '10.1.0.2',
    port: 80,
    path: '/',
    headers: [],
    timeoutMs: 1000,
  }));
test('a request with all said', () => {
  const httpHeaders = [
    { name: 'X', value: '1' },
    { name: 'X', value: '2' },
  ];
  assert.deepEqual(request({ scheme: 'HTTPS', host: 'h.example', port: 'http', path: '/a?b=c', httpHeaders }), {
    scheme: 'HTTPS',
    host: 'h.example',
    port: 8080,
    path: '/a?b=c',
    headers: httpHeaders,
    timeoutMs: 1000,
  });
});
test('an empty host is the pod’s', () => assert.equal(request({ host: '' }).host, '10.1.0.2'));

// As Go makes a URL of a path and sets scheme and host over it (upstream's formatURL).
for (const [path, expected] of [
  ['', '/'],
  ['healthz', '/healthz'],
  ['/healthz/', '/healthz/'],
  ['?a=/b', '/?a=/b'],
  ['//healthz', '/'],
  ['//other/healthz?x', '/healthz?x'],
  ['///healthz', '///healthz'],
  ['http://other:81/healthz', '/healthz'],
  ['http://other', '/'],
  ['http://other?x', '/?x'],
  ['/a//b', '/a//b'],
  ['/redirect?to=http://other/x', '/redirect?to=http://other/x'],
] as const)
  test(`a path of an action: ${path}`, () => assert.equal(request({ path }).path, expected));

for (const [name, port, expected] of [
  ['a number', 81, 81],
  ['a name', 'http', 8080],
  ['a name as of a prototype', 'constructor', 1],
  ['a number in a text', '82', 82],
  ['the last', 65_535, 65_535],
] as const)
  test(`a port of an action: ${name}`, () => assert.equal(portNumber(port, container), expected));

for (const [name, port, message] of [
  ['a name that nobody has', 'toString', 'strconv.Atoi: parsing "toString": invalid syntax'],
  ['a number of another sort', '0x50', 'strconv.Atoi: parsing "0x50": invalid syntax'],
  ['nothing', '', 'strconv.Atoi: parsing "": invalid syntax'],
  ['none', 0, 'invalid port number: 0'],
  ['past the last, in a text', '65536', 'invalid port number: 65536'],
] as const)
  test(`no port of an action: ${name}`, () => assert.throws(() => portNumber(port, container), { message }));
test('no port of an action: a name, of a container without ports', () =>
  assert.throws(() => portNumber('http', { name: 'c', image: 'i' }), {
    message: 'strconv.Atoi: parsing "http": invalid syntax',
  }));

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ingress } from '@binnacle/api/networking/v1';
import fc from 'fast-check';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { cpuMs } from '@binnacle/base/testing';
import { CertificateTable } from './certificate-table.ts';
import { readIngress } from './read-ingress.ts';
import type { RouteTarget } from './read-ingress.ts';
import { readTarget } from './request-target.ts';
import { RouteTable } from './route-table.ts';

type Path = readonly [type: 'Exact' | 'Prefix' | 'ImplementationSpecific', path: string, service: string];

const backend = (name: string) => ({ service: { name, port: { number: 80 } } });

/** An Ingress told shortly; `*`: the default backend. */
function ingress(name: string, rules: { [host: string]: readonly Path[] | undefined }, fallback?: string): Ingress {
  return {
    metadata: { name, namespace: 'ns', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      ...(fallback === undefined ? {} : { defaultBackend: backend(fallback) }),
      rules: Object.entries(rules).map(([host, paths]) => ({
        ...(host === '' ? {} : { host }),
        ...(paths === undefined
          ? {}
          : { http: { paths: paths.map(([pathType, path, to]) => ({ pathType, path, backend: backend(to) })) } }),
      })),
    },
  };
}

const nameOf = (target: RouteTarget | undefined): string | undefined =>
  target?.kind === 'service' ? target.name : target?.kind;
const tableOf = (...all: readonly Ingress[]): RouteTable => new RouteTable(all.map((one) => readIngress(one)));

/** The examples of the API's documentation: https://kubernetes.io/docs/concepts/services-networking/ingress/#examples */
const DOCUMENTED: readonly (readonly [paths: readonly Path[], request: string, found: string | undefined])[] = [
  [[['Prefix', '/', 'a']], '/any/path', 'a'],
  [[['Exact', '/foo', 'a']], '/foo', 'a'],
  [[['Exact', '/foo', 'a']], '/bar', undefined],
  [[['Exact', '/foo', 'a']], '/foo/', undefined],
  [[['Exact', '/foo/', 'a']], '/foo', undefined],
  [[['Prefix', '/foo', 'a']], '/foo', 'a'],
  [[['Prefix', '/foo', 'a']], '/foo/', 'a'],
  [[['Prefix', '/foo/', 'a']], '/foo', 'a'],
  [[['Prefix', '/foo/', 'a']], '/foo/', 'a'],
  [[['Prefix', '/aaa/bb', 'a']], '/aaa/bbb', undefined],
  [[['Prefix', '/aaa/bbb', 'a']], '/aaa/bbb', 'a'],
  [[['Prefix', '/aaa/bbb/', 'a']], '/aaa/bbb', 'a'],
  [[['Prefix', '/aaa/bbb', 'a']], '/aaa/bbb/', 'a'],
  [[['Prefix', '/aaa/bbb', 'a']], '/aaa/bbb/ccc', 'a'],
  [[['Prefix', '/aaa/bbb', 'a']], '/aaa/bbbxyz', undefined],
  [
    [
      ['Prefix', '/', 'a'],
      ['Prefix', '/aaa', 'b'],
    ],
    '/aaa/ccc',
    'b',
  ],
  [
    [
      ['Prefix', '/', 'a'],
      ['Prefix', '/aaa', 'b'],
    ],
    '/ccc',
    'a',
  ],
  [[['Prefix', '/aaa', 'a']], '/ccc', undefined],
  [
    [
      ['Exact', '/foo', 'a'],
      ['Prefix', '/foo', 'b'],
    ],
    '/foo',
    'a',
  ],
  [
    [
      ['Prefix', '/foo', 'b'],
      ['Exact', '/foo', 'a'],
    ],
    '/foo',
    'a',
  ],
  [[['ImplementationSpecific', '/foo', 'a']], '/foo/bar', 'a'],
  [[['ImplementationSpecific', '', 'a']], '/foo/bar', 'a'],
  [[['Prefix', '/Foo', 'a']], '/foo', undefined],
];

for (const [paths, request, found] of DOCUMENTED) {
  test(`${paths.map(([type, path]) => `${type} ${path}`).join(', ')} ← ${request}`, () => {
    assert.equal(nameOf(tableOf(ingress('one', { '': paths })).find('x', request)), found);
  });
}

const SHOP = ingress('shop', {
  'shop.example.com': [['Prefix', '/cart', 'cart']],
  '*.example.com': [
    ['Prefix', '/cart', 'any-cart'],
    ['Prefix', '/', 'wild'],
  ],
  '': [['Prefix', '/health', 'health']],
});
const HOSTS: readonly (readonly [host: string, path: string, found: string | undefined])[] = [
  ['shop.example.com', '/cart/1', 'cart'],
  ['shop.example.com', '/other', 'wild'],
  ['other.example.com', '/cart', 'any-cart'],
  ['a.b.example.com', '/cart', undefined],
  ['example.com', '/cart', undefined],
  ['.example.com', '/cart', undefined],
  ['elsewhere.org', '/health', 'health'],
  ['constructor', '/__proto__', undefined],
];
for (const [host, path, found] of HOSTS) {
  test(`host ${host}${path}`, () => assert.equal(nameOf(tableOf(SHOP).find(host, path)), found));
}

test('default backends: of the host’s Ingress, then the first of all; a rule goes before them', () => {
  const table = tableOf(
    ingress('a', { 'a.org': [['Prefix', '/api', 'api']] }, 'a-rest'),
    ingress('b', { 'b.org': [['Prefix', '/api', 'api']], 'whole.org': undefined }, 'b-rest'),
    ingress('c', { '': [['Exact', '/health', 'health']] }),
  );
  assert.equal(nameOf(table.find('a.org', '/x')), 'a-rest');
  assert.equal(nameOf(table.find('b.org', '/x')), 'b-rest');
  assert.equal(nameOf(table.find('b.org', '/health')), 'health');
  assert.equal(nameOf(table.find('whole.org', '/health')), 'b-rest');
  assert.equal(nameOf(table.find('c.org', '/x')), 'a-rest');
});

test('the older Ingress has what two ask for', () => {
  const younger = ingress('a', { '': [['Prefix', '/', 'younger']] });
  const older = ingress('b', { '': [['Prefix', '/', 'older']] });
  const table = tableOf(
    { ...younger, metadata: { ...younger.metadata, creationTimestamp: '2026-01-02T00:00:00Z' } },
    older,
  );
  assert.equal(nameOf(table.find('x', '/')), 'older');
});

const segments = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 4 });
const aPath = fc.tuple(segments, fc.boolean()).map(([all, slash]) => `/${all.join('/')}${slash ? '/' : ''}`);

/** The definition told a second time: element by element, the longest one; nothing between two slashes is no element. */
function naive(rules: readonly Path[], target: string): string | undefined {
  const oneSlash = (path: string): string => path.replaceAll(/\/+/g, '/');
  const paths = rules.map(([type, path, name]): Path => [type, oneSlash(path), name]);
  const request = oneSlash(target);
  const parts = (path: string): string[] => (path === '/' ? [] : path.replace(/^\//, '').replace(/\/$/, '').split('/'));
  const exact = paths.find(([type, path]) => type === 'Exact' && path === request);
  if (exact !== undefined) return exact[2];
  const asked = request === '/' ? [] : request.slice(1).split('/');
  let best: { readonly length: number; readonly name: string } | undefined;
  for (const [type, path, name] of paths) {
    const wanted = parts(path);
    if (type === 'Exact' || !wanted.every((part, at) => asked[at] === part)) continue;
    if (best === undefined || wanted.length > best.length) best = { length: wanted.length, name };
  }
  return best?.name;
}

test('the table equals the definition', () => {
  const rule = fc.tuple(fc.constantFrom('Exact' as const, 'Prefix' as const), aPath);
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), aPath, (rules, request) => {
      const paths = rules.map(([type, path], at): Path => [type, path, `s${at}`]);
      const found = tableOf(ingress('one', { '': paths })).route('x', request);
      assert.equal(found === 'ambiguous' ? found : nameOf(found), naive(paths, request));
    }),
    { seed: 36, numRuns: 3000 },
  );
});

test('a long path and many rules cost a walk, no more', () => {
  const paths = Array.from({ length: 20_000 }, (_, at): Path => ['Prefix', `/app/${at}`, `s${at}`]);
  const table = tableOf(ingress('one', { '': [...paths, ['Prefix', `/${'a/'.repeat(5000)}`, 'deep']] }));
  const ms = cpuMs(() => {
    for (let at = 0; at < 1000; at++) {
      assert.equal(nameOf(table.find('x', `/app/${at}/x`)), `s${at}`);
      table.find('x', `/${'b/'.repeat(8000)}`);
    }
  });
  assert.equal(nameOf(table.find('x', `/${'a/'.repeat(8000)}`)), 'deep');
  assert.ok(ms < 1000, `${ms}`);
});

/** Spellings of paths that somebody behind us may read as `/admin`, whose rule is for another backend than the rest. */
const SPELLINGS: readonly (readonly [target: string, found: string | undefined])[] = [
  ['/admin', 'admin'],
  ['/admin/x', 'admin'],
  ['/administrator', 'app'],
  ['//admin', 'admin'],
  ['///admin//x', 'admin'],
  ['/./admin', 'admin'],
  ['/x/../admin', 'admin'],
  ['/x//../admin', 'app'],
  ['/x/..//admin', 'admin'],
  ['/%61dmin', 'admin'],
  ['/x/%2e%2e/admin', 'admin'],
  ['/x/.%2E/admin', 'admin'],
  ['/%2fadmin', 'ambiguous'],
  ['/admin%2fx', 'ambiguous'],
  ['/x/..%2fadmin', 'ambiguous'],
  ['/x%2f..%2fadmin', 'ambiguous'],
  ['/x%2f../admin', 'ambiguous'],
  ['/x/..;/admin', 'ambiguous'],
  ['/x/..;a=b/admin', 'ambiguous'],
  ['/x/..%3b/admin', 'ambiguous'],
  ['/admin;x', 'ambiguous'],
  ['/admin;x/y', 'ambiguous'],
  ['/;x/admin', 'ambiguous'],
  ['/x/..%5cadmin', 'ambiguous'],
  ['/%5cadmin', 'ambiguous'],
  // Whatever one makes of these, they are for the same backend.
  ['/vhosts/%2f/queues', 'app'],
  ['/cars;color=red/x', 'app'],
  ['/files/a%5cb', 'app'],
  ['/api;x/y', 'app'],
  ['//files', 'app'],
];

for (const [target, found] of SPELLINGS) {
  test(`a rule for /admin and ${target}`, () => {
    const paths: readonly Path[] = [
      ['Prefix', '/', 'app'],
      ['Prefix', '/api', 'app'],
      ['Prefix', '/admin', 'admin'],
    ];
    const told = tableOf(ingress('one', { '': paths })).route('x', readTarget(target)?.path ?? '');
    assert.equal(told === 'ambiguous' ? told : nameOf(told), found);
  });
}

test('of a backend of which one path is shown, no spelling leads to another', () => {
  const table = tableOf(ingress('one', { '': [['Prefix', '/public', 'app']] }));
  const rows: readonly (readonly [target: string, found: string | undefined])[] = [
    ['/public/a%2fb', 'app'],
    ['//public//x', 'app'],
    ['/public/../admin', undefined],
    ['/public/%2e%2e/admin', undefined],
    ['/public/..%2fadmin', 'ambiguous'],
    ['/public%2f..%2fadmin', 'ambiguous'],
    ['/admin%2f..%2fpublic', 'ambiguous'],
    ['/public/..;/admin', 'ambiguous'],
    ['/public%2fsecret', 'ambiguous'],
    ['/other%2fx', undefined],
  ];
  for (const [target, found] of rows) {
    const told = table.route('x', readTarget(target)?.path ?? '');
    assert.equal(told === 'ambiguous' ? told : nameOf(told), found, target);
  }
});

test('rules of letters and escapes are found by requests in either spelling', () => {
  const table = tableOf(
    ingress('one', {
      '': [
        ['Prefix', '/b\u00fccher', 'books'],
        ['Exact', '/@me', 'me'],
      ],
    }),
  );
  assert.equal(nameOf(table.find('x', '/b\u00c3\u00bccher/1')), 'books');
  for (const [target, found] of [
    ['/b%C3%BCcher', 'books'],
    ['/%40me', 'me'],
    ['/@me', 'me'],
  ] as const)
    assert.equal(nameOf(table.route('x', readTarget(target)?.path ?? '') as RouteTarget), found, target);
});

test('tables into which Ingresses came one by one, changed and went, are like new ones', () => {
  const hosts = ['', 'a.example', '*.example', 'b.example'];
  const paths = ['/', '/x', '/x/y', '/x/', '/z'];
  for (let seed = 1; seed <= 300; seed++) {
    const random = createSeededRandom(seed);
    const draw = <T>(all: readonly T[]): T => all[randomBelow(random, all.length)] as T;
    const drawPath = (): Path => [draw(['Exact', 'Prefix'] as const), draw(paths), draw(['p', 'q', 'r'])];
    const made = (name: string): Ingress => {
      const rules = Object.fromEntries(
        [draw(hosts), draw(hosts)].map((host) => [host, draw([undefined, [drawPath(), drawPath()]])]),
      );
      const one = ingress(name, rules, draw([undefined, `${name}-fallback`]));
      const tls = draw([undefined, [{ secretName: name, hosts: [draw(hosts)] }, { secretName: `${name}2` }]]);
      return { ...one, spec: { ...one.spec, ...(tls === undefined ? {} : { tls }) } };
    };
    const kept = new Map<string, ReturnType<typeof readIngress>>();
    const routes = new RouteTable();
    const certificates = new CertificateTable();
    for (let step = 0; step < 30; step++) {
      const name = draw(['i', 'j', 'k', 'l']);
      const before = kept.get(name);
      if (before !== undefined) {
        routes.remove(before);
        certificates.remove(before);
        kept.delete(name);
      }
      if (draw([true, true, false])) {
        const one = readIngress(made(name));
        kept.set(name, one);
        routes.add(one);
        certificates.add(one);
      }
      const [freshRoutes, freshCertificates] = [new RouteTable(kept.values()), new CertificateTable(kept.values())];
      for (const host of ['a.example', 'b.example', 'c.example', 'other']) {
        assert.equal(certificates.secretFor(host), freshCertificates.secretFor(host), `seed ${seed}, ${host}`);
        for (const path of paths)
          assert.deepEqual(routes.find(host, path), freshRoutes.find(host, path), `seed ${seed}, ${host}${path}`);
      }
    }
    for (const one of kept.values()) routes.remove(one);
    assert.equal(routes.isEmpty, true, `seed ${seed}: nothing is left`);
  }
});

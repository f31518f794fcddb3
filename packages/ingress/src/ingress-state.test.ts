import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Secret } from '@binnacle/api/core/v1';
import type { Ingress, IngressClass } from '@binnacle/api/networking/v1';
import { CONTROLLER } from './class-table.ts';
import { IngressState } from './ingress-state.ts';

const CLASS: IngressClass = { metadata: { name: 'binnacle' }, spec: { controller: CONTROLLER } };

function ingress(name: string, more: Partial<Ingress> = {}): Ingress {
  const path = { path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } } };
  return {
    metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      ingressClassName: 'binnacle',
      rules: [{ host: `${name}.example`, http: { paths: [path] } }],
      tls: [{ hosts: [`${name}.example`], secretName: name }],
    },
    ...more,
  };
}

function secret(name: string): Secret {
  return { metadata: { name, namespace: 'ns', uid: name, resourceVersion: '1' }, data: { 'tls.crt': name } };
}

function stateOf(judged: string[] = []): IngressState {
  const state = new IngressState(({ id }) => {
    judged.push(id);
    return id.startsWith('ns/bad') ? 'no pair' : undefined;
  });
  state.setClass(CLASS);
  return state;
}

test('a Secret is judged when somebody asks for its certificate, once; those that nobody names never', () => {
  const judged: string[] = [];
  const state = stateOf(judged);
  for (let at = 0; at < 100; at++) state.setSecret(secret(`other${at}`));
  for (const name of ['web', 'bad']) {
    state.setIngress(ingress(name));
    state.setSecret(secret(name));
  }
  assert.deepEqual(judged, []);
  assert.equal(state.certificateFor('web.example')?.certificate, 'web');
  assert.equal(state.certificateFor('bad.example'), undefined);
  assert.deepEqual(state.problemsOf(ingress('bad')).slice(-1), ['Secret ns/bad is not served: no pair']);
  state.certificateFor('bad.example');
  assert.deepEqual(judged, ['ns/web web 1', 'ns/bad bad 1']);
  state.setSecret({ ...secret('web'), metadata: { ...secret('web').metadata, resourceVersion: '2' } });
  state.certificateFor('web.example');
  assert.equal(judged.at(-1), 'ns/web web 2', 'another version is another one');
});

const { metadata, spec } = ingress('web');
const CHANGES: readonly (readonly [name: string, changed: Ingress, ours: boolean, reached: boolean])[] = [
  ['where it is reached', ingress('web', { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }), true, true],
  ['its version alone', ingress('web', { metadata: { ...metadata, resourceVersion: '2' } }), true, true],
  ['its class', ingress('web', { spec: { ...spec, ingressClassName: 'theirs' } }), false, false],
  ['its rules', ingress('web', { spec: { ...spec, rules: [{ host: 'other.example' }] } }), true, false],
  [
    'that it goes',
    ingress('web', { metadata: { ...metadata, deletionTimestamp: '2026-01-02T00:00:00Z' } }),
    false,
    false,
  ],
];
for (const [name, changed, ours, reached] of CHANGES) {
  test(`an Ingress changes ${name}`, () => {
    const state = stateOf();
    state.setIngress(ingress('web'));
    assert.deepEqual(state.ours, [ingress('web')]);
    state.setIngress(changed);
    assert.deepEqual(state.ours, ours ? [changed] : [], 'as it is now');
    const answer = state.route('web.example', '/');
    // A rule that leads to a Service that is not there, or none.
    assert.equal(answer.kind === 'nowhere' && answer.status, reached ? 503 : 404);
  });
}

test('what is written to each of thousands of Ingresses makes no new tables, whoever asks in between', () => {
  const state = stateOf();
  let read = 0;
  for (let at = 0; at < 2000; at++) {
    const one = ingress(`i${at}`);
    const { rules = [] } = one.spec;
    const seen = Object.defineProperty({ ...one.spec }, 'rules', { enumerable: true, get: () => (read++, rules) });
    state.setIngress({ ...one, spec: seen });
  }
  state.route('i1.example', '/');
  const once = read;
  for (let at = 0; at < 2000; at++) {
    const one = ingress(`i${at}`, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } });
    state.setIngress(one);
    state.route('i1.example', '/');
  }
  assert.ok(read <= 2 * once, `${read} looks at rules, ${once} for the first tables`);
});

test('an Ingress that is changed again and again has nobody else read again', () => {
  const state = stateOf();
  let read = 0;
  for (let at = 0; at < 1000; at++) {
    const one = ingress(`i${at}`);
    const { rules = [] } = one.spec;
    const seen = Object.defineProperty({ ...one.spec }, 'rules', { enumerable: true, get: () => (read++, rules) });
    state.setIngress({ ...one, spec: seen });
  }
  const reached = (host: string): unknown => {
    const answer = state.route(host, '/');
    return answer.kind === 'nowhere' && answer.status;
  };
  assert.equal(reached('i1.example'), 503);
  read = 0;
  for (let at = 0; at < 50; at++) {
    state.setIngress(ingress('loop', { spec: { ...spec, rules: [{ ...spec.rules?.[0], host: `h${at}.example` }] } }));
    assert.deepEqual([reached(`h${at}.example`), reached(`h${at - 1}.example`)], [503, 404]);
  }
  assert.equal(state.ours.length, 1001);
  assert.equal(read, 0);
});

/** As `kubectl create ingress web --rule="/*=web:80,tls=web"` makes it. */
const HOSTLESS: readonly (readonly [name: string, rules: Ingress['spec']['rules'], others: string | undefined])[] = [
  ['rules for any host', [{}], 'web'],
  ['a default backend alone', undefined, 'web'],
  ['rules for its own hosts', [{ host: 'web.example' }], undefined],
];
for (const [name, rules, others] of HOSTLESS) {
  test(`a certificate without hosts is for those that the rules are for: ${name}`, () => {
    const state = stateOf();
    const own = {
      ingressClassName: 'binnacle',
      tls: [{ secretName: 'web' }],
      ...(rules === undefined ? {} : { rules }),
    };
    state.setIngress(ingress('web', { spec: own }));
    state.setSecret(secret('web'));
    assert.equal(state.certificateFor('web.example')?.certificate, 'web');
    assert.equal(state.certificateFor('other.example')?.certificate, others);
  });
}

test("requests take turns among a Service's pods, whatever is asked of others between", () => {
  const state = stateOf();
  for (const name of ['a', 'b']) {
    state.setIngress(
      ingress(name, {
        spec: {
          ingressClassName: 'binnacle',
          rules: [{ host: `${name}.example` }],
          defaultBackend: { service: { name, port: { number: 80 } } },
        },
      }),
    );
    state.endpoints.setService({ metadata: { name, namespace: 'ns' }, spec: { ports: [{ port: 80 }] } });
    state.endpoints.setSlice({
      metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports: [{ name: '', port: 80 }],
      endpoints: ['10.0.0.1', '10.0.0.2'].map((address) => ({ addresses: [address], conditions: { ready: true } })),
    });
  }
  const first = (host: string): string => {
    const answer = state.route(host, '/');
    return answer.kind === 'places' ? (answer.places[0]?.address ?? '') : answer.message;
  };
  const met = [1, 2, 3, 4].map(() => {
    first('b.example');
    return first('a.example');
  });
  assert.equal(new Set(met).size, 2, met.join());
});

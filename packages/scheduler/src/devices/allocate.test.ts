import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import type { Device } from '@binnacle/api/resource/v1';
import { allocate } from '../testing/allocation.ts';
import type { Given } from '../testing/allocation.ts';
import { makeClaim, makeSlice, request } from '../testing/devices.ts';
import { ClaimError, SearchLimitError, SelectorError } from './errors.ts';

const device = (name: string, attributes: Device['attributes'] = {}, more: Partial<Device> = {}): Device => ({
  name,
  attributes,
  ...more,
});
const numa = (name: string, node: number): Device => device(name, { numa: { int: node } });
const kind = (name: string, text: string): Device => device(name, { kind: { string: text } });
const expression = (
  text: string,
): { readonly selectors: readonly [{ readonly cel: { readonly expression: string } }] } => ({
  selectors: [{ cel: { expression: text } }],
});
/** Only one device can be had. */
const DISTINCT_FROM_ITSELF = { constraints: [{ matchAttribute: 'd.example.org/numa' }] };
const AB = [makeSlice('n', [device('a'), device('b')])];

/** As it rests: its list of requests was empty, or absent. */
const ASKS_NOTHING = makeClaim('c', JSON.parse('null') as []);

const ROWS: readonly (readonly [name: string, given: Given, expected: readonly string[] | undefined])[] = [
  ['one device', { slices: AB, claims: [makeClaim('c', [request('r')])] }, ['r=a']],
  ['a claim that asks for nothing', { slices: AB, claims: [ASKS_NOTHING] }, ['']],
  ['two of two', { slices: AB, claims: [makeClaim('c', [request('r', { count: 2 })])] }, ['r=a r=b']],
  ['three of two', { slices: AB, claims: [makeClaim('c', [request('r', { count: 3 })])] }, undefined],
  [
    'what another claim has is not given',
    { slices: AB, claims: [makeClaim('c', [request('r')])], allocated: ['d.example.org/n/a'] },
    ['r=b'],
  ],
  [
    'two claims of one pod share nothing',
    { slices: AB, claims: [makeClaim('c', [request('r')]), makeClaim('d', [request('r')])] },
    ['r=a', 'r=b'],
  ],
  [
    'an administrator looks at what others have, and takes it from nobody',
    {
      slices: AB,
      claims: [makeClaim('c', [request('r', { adminAccess: true })]), makeClaim('d', [request('r')])],
      allocated: ['d.example.org/n/b'],
    },
    ['r=a', 'r=a'],
  ],
  [
    'by the selector of its class',
    {
      slices: [makeSlice('n', [kind('nic', 'nic'), kind('x', 'gpu')])],
      claims: [makeClaim('c', [request('r', { deviceClassName: 'gpu' })])],
    },
    ['r=x'],
  ],
  [
    'by the selectors of the request',
    {
      slices: [
        makeSlice('n', [
          device('small', {}, { capacity: { memory: { value: '8Gi' } } }),
          device('large', { version: { version: '2.1.0' } }, { capacity: { memory: { value: '80Gi' } } }),
        ]),
      ],
      claims: [
        makeClaim('c', [
          request(
            'r',
            expression(
              'device.driver == "d.example.org" && device.capacity["d.example.org"].memory.compareTo(quantity("40Gi")) >= 0 && device.attributes["d.example.org"].version.isGreaterThan(semver("2.0.0"))',
            ),
          ),
        ]),
      ],
    },
    ['r=large'],
  ],
  [
    'a domain that a device knows nothing of is no error',
    {
      slices: AB,
      claims: [
        makeClaim('c', [
          request('r', expression('!has(device.attributes["other.org"].x) && !("other.org" in device.attributes)')),
        ]),
      ],
    },
    ['r=a'],
  ],
  [
    'constraints make it look further',
    {
      slices: [makeSlice('n', [numa('a', 0), numa('b', 1), numa('c', 1)])],
      claims: [
        makeClaim('c', [request('r'), request('s')], { constraints: [{ matchAttribute: 'd.example.org/numa' }] }),
      ],
    },
    ['r=b s=c'],
  ],
  [
    'constraints of some requests only',
    {
      slices: [makeSlice('n', [numa('a', 0), numa('b', 1), numa('c', 1)])],
      claims: [
        makeClaim('c', [request('r'), request('s'), request('t')], {
          constraints: [{ requests: ['s', 't'], matchAttribute: 'd.example.org/numa' }],
        }),
      ],
    },
    ['r=a s=b t=c'],
  ],
  [
    'each another value',
    {
      slices: [makeSlice('n', [numa('a', 0), numa('b', 0), numa('c', 1)])],
      claims: [
        makeClaim('c', [request('r', { count: 2 })], { constraints: [{ distinctAttribute: 'd.example.org/numa' }] }),
      ],
    },
    ['r=a r=c'],
  ],
  [
    'a device without the attribute fits no constraint',
    {
      slices: AB,
      claims: [makeClaim('c', [request('r')], { constraints: [{ matchAttribute: 'd.example.org/numa' }] })],
    },
    undefined,
  ],
  [
    'all that match',
    {
      slices: [makeSlice('n', [kind('a', 'gpu'), kind('b', 'nic'), kind('c', 'gpu')])],
      claims: [makeClaim('c', [request('r', { deviceClassName: 'gpu', allocationMode: 'All' })])],
    },
    ['r=a r=c'],
  ],
  [
    'all, when one is taken',
    {
      slices: AB,
      claims: [makeClaim('c', [request('r', { allocationMode: 'All' })])],
      allocated: ['d.example.org/n/b'],
    },
    undefined,
  ],
  [
    'all of nothing',
    { slices: [makeSlice('n', [])], claims: [makeClaim('c', [request('r', { allocationMode: 'All' })])] },
    undefined,
  ],
  [
    'a pool that is not all there is left alone',
    {
      slices: [makeSlice('n', [device('a')], { pool: { name: 'p', generation: 1, resourceSliceCount: 2 } })],
      claims: [makeClaim('c', [request('r')])],
    },
    undefined,
  ],
  [
    'an older generation is past',
    {
      slices: [
        makeSlice('n', [device('old')], { pool: { name: 'p', generation: 1, resourceSliceCount: 1 } }),
        {
          ...makeSlice('n', [device('new')], { pool: { name: 'p', generation: 2, resourceSliceCount: 1 } }),
          metadata: { name: 'x' },
        },
      ],
      claims: [makeClaim('c', [request('r')])],
    },
    ['r=new'],
  ],
  [
    'a pool with a name twice is left alone',
    { slices: [makeSlice('n', [device('a'), device('a')])], claims: [makeClaim('c', [request('r')])] },
    undefined,
  ],
  [
    'the first way that works',
    {
      slices: [makeSlice('n', [kind('a', 'nic'), kind('b', 'nic')])],
      claims: [
        makeClaim('c', [
          {
            name: 'r',
            firstAvailable: [
              { name: 'best', deviceClassName: 'gpu' },
              { name: 'good', deviceClassName: 'any', count: 2 },
            ],
          },
        ]),
      ],
    },
    ['r/good=a r/good=b'],
  ],
  [
    'taints',
    {
      slices: [
        makeSlice('n', [
          device('sick', {}, { taints: [{ key: 'sick', effect: 'NoSchedule' }] }),
          device('noted', {}, { taints: [{ key: 'noted', effect: 'None' }] }),
        ]),
      ],
      claims: [makeClaim('c', [request('r')])],
    },
    ['r=noted'],
  ],
  [
    'taints that are tolerated',
    {
      slices: [makeSlice('n', [device('sick', {}, { taints: [{ key: 'sick', value: 'v', effect: 'NoExecute' }] })])],
      claims: [makeClaim('c', [request('r', { tolerations: [{ key: 'sick', operator: 'Exists' }] })])],
    },
    ['r=sick'],
  ],
  [
    'what devices share is given once',
    {
      slices: [
        makeSlice(
          'n',
          ['a', 'b', 'c'].map((name) =>
            device(name, {}, { consumesCounters: [{ counterSet: 'card', counters: { memory: { value: '40Gi' } } }] }),
          ),
          { pool: { name: 'p', generation: 1, resourceSliceCount: 2 } },
        ),
        {
          ...makeSlice('n', [], {
            pool: { name: 'p', generation: 1, resourceSliceCount: 2 },
            sharedCounters: [{ name: 'card', counters: { memory: { value: '80Gi' } } }],
          }),
          metadata: { name: 'counters' },
        },
      ],
      claims: [makeClaim('c', [request('r')])],
      allocated: ['d.example.org/p/a', 'd.example.org/p/b'],
    },
    undefined,
  ],
  [
    'devices of the network, by labels of nodes',
    {
      slices: [
        {
          metadata: { name: 's' },
          spec: {
            driver: 'd.example.org',
            pool: { name: 'net', generation: 1, resourceSliceCount: 1 },
            nodeSelector: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'In', values: ['1'] }] }],
            },
            devices: [device('far')],
          },
        },
      ],
      claims: [makeClaim('c', [request('r')])],
      labels: { rack: '1' },
    },
    ['r=far'],
  ],
  [
    'devices that are made ready first are given like others',
    {
      slices: [
        makeSlice('n', [device('later', {}, { bindingConditions: ['Ready'], bindingFailureConditions: ['Failed'] })]),
      ],
      claims: [makeClaim('c', [request('r')])],
    },
    ['r=later'],
  ],
];

for (const [name, given, expected] of ROWS) {
  test(`devices for claims: ${name}`, () => assert.deepEqual(allocate(given), expected));
}

for (const [name, claim, type, message] of [
  ['too many', makeClaim('c', [request('r', { count: 33 })]), ClaimError, /33 exceeds the claim limit of 32/],
  ['no way at all', makeClaim('c', [{ name: 'r' }]), ClaimError, /request r: unknown request type/],
  [
    'no expression',
    makeClaim('c', [request('r', expression('device.'))]),
    SelectorError,
    /selector #0: CEL compile error/,
  ],
  [
    'an attribute that is not there',
    makeClaim('c', [request('r', expression('device.attributes["d.example.org"].nope == 1'))]),
    SelectorError,
    /claim default\/c: selector #0: CEL runtime error: no such key: nope/,
  ],
] as const) {
  test(`what nobody can give is said: ${name}`, () => {
    assert.throws(
      () => allocate({ slices: AB, claims: [claim] }),
      (error: unknown) => error instanceof type && message.test(error.message),
    );
  });
}

test('a search without end ends', () => {
  const devices = Array.from({ length: 40 }, (_, i) => numa(`d${String(i).padStart(2, '0')}`, i));
  const requests = Array.from({ length: 16 }, (_, i) => request(`r${i}`));
  const claims = [
    makeClaim('c', requests, { constraints: [{ requests: ['r14', 'r15'], matchAttribute: 'd.example.org/numa' }] }),
  ];
  assert.throws(() => allocate({ slices: [makeSlice('n', devices)], claims }), SearchLimitError);
});

test('a search that takes too long ends, where it takes many steps', () => {
  const slices = [
    makeSlice(
      'n',
      Array.from({ length: 40 }, (_, i) => numa(`d${i}`, i)),
    ),
  ];
  const claim = (count: number) => makeClaim('c', [request('r', { count })], DISTINCT_FROM_ITSELF);
  assert.throws(() => allocate({ slices, claims: [claim(3)], isLate: true }), SearchLimitError);
  assert.deepEqual(allocate({ slices, claims: [claim(1)], isLate: true }), ['r=d0']);
});

/** Devices that several claims have shares of: who gets how much of which, beside what others have. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Device, DeviceCapacity, ResourceClaim, ResourceSlice } from '@binnacle/api/resource/v1';
import { allocate } from '../testing/allocation.ts';
import type { Given } from '../testing/allocation.ts';
import { givenDevices, makeClaim, makeSlice, request } from '../testing/devices.ts';

const memory = (value: string, requestPolicy?: DeviceCapacity['requestPolicy']): Device['capacity'] => ({
  memory: { value, ...(requestPolicy === undefined ? {} : { requestPolicy }) },
});
const shared = (name: string, capacity: Device['capacity'] = {}, more: Partial<Device> = {}): Device => ({
  name,
  allowMultipleAllocations: true,
  ...(capacity === undefined ? {} : { capacity }),
  ...more,
});
const asks = (name: string, amount: string, more: Parameters<typeof request>[1] = {}) =>
  request(name, { capacity: { requests: { memory: amount } }, ...more });
const claims = (...requests: readonly ReturnType<typeof request>[]): readonly ResourceClaim[] => [
  makeClaim('c', requests),
];
const ID = (name: string): string => `d.example.org/n/${name}`;
const EIGHT = [makeSlice('n', [shared('a', memory('8'))])];
const TWO_OF_EIGHT = [makeSlice('n', [shared('a', memory('8')), shared('b', memory('8'))])];
const model = (name: string, text: string): Device =>
  shared(name, memory('8'), { attributes: { m: { string: text } } });
const DISTINCT = { constraints: [{ distinctAttribute: 'd.example.org/m' }] };

/** Devices of one card: each takes so much of its memory. */
function card(all: string, costs: { readonly [device: string]: string }, isShared = true): readonly ResourceSlice[] {
  const pool = { name: 'n', generation: 1, resourceSliceCount: 2 };
  const devices = Object.entries(costs).map(([name, value]): Device => ({
    ...(isShared ? shared(name) : { name }),
    consumesCounters: [{ counterSet: 'card', counters: { memory: { value } } }],
  }));
  const sharedCounters = [{ name: 'card', counters: { memory: { value: all } } }];
  return [
    makeSlice('n', devices, { pool }),
    { ...makeSlice('n', [], { pool, sharedCounters }), metadata: { name: 'counters' } },
  ];
}

const ROWS: readonly (readonly [name: string, given: Given, expected: readonly string[] | undefined])[] = [
  ['nobody says how much: all of it', { slices: EIGHT, claims: claims(request('r')) }, ['r=a(memory:8)']],
  ['a second one who wants all of it', { slices: EIGHT, claims: claims(request('r'), request('s')) }, undefined],
  [
    'two requests share it',
    { slices: EIGHT, claims: claims(asks('r', '3'), asks('s', '5')) },
    ['r=a(memory:3) s=a(memory:5)'],
  ],
  [
    'two claims share it',
    { slices: EIGHT, claims: [makeClaim('c', [asks('r', '3')]), makeClaim('d', [asks('r', '5')])] },
    ['r=a(memory:3)', 'r=a(memory:5)'],
  ],
  ['together they want too much', { slices: EIGHT, claims: claims(asks('r', '3'), asks('s', '6')) }, undefined],
  [
    'one request has no device twice',
    { slices: TWO_OF_EIGHT, claims: claims(asks('r', '3', { count: 2 })) },
    ['r=a(memory:3) r=b(memory:3)'],
  ],
  ['nor where there is but one', { slices: EIGHT, claims: claims(asks('r', '3', { count: 2 })) }, undefined],
  [
    'beside what others have',
    { slices: TWO_OF_EIGHT, shared: [[ID('a'), { memory: '3' }]], claims: claims(asks('r', '5')) },
    ['r=a(memory:5)'],
  ],
  [
    'more than others left: the next device',
    { slices: TWO_OF_EIGHT, shared: [[ID('a'), { memory: '3' }]], claims: claims(asks('r', '6')) },
    ['r=b(memory:6)'],
  ],
  [
    'it looks back: the first request had what the second needs',
    {
      slices: [makeSlice('n', [shared('a', memory('8')), shared('b', memory('4'))])],
      claims: claims(asks('r', '4'), asks('s', '8')),
    },
    ['r=b(memory:4) s=a(memory:8)'],
  ],
  [
    'the way that fits',
    {
      slices: EIGHT,
      claims: [
        makeClaim('c', [
          {
            name: 'r',
            firstAvailable: [
              { name: 'much', deviceClassName: 'any', capacity: { requests: { memory: '9' } } },
              { name: 'less', deviceClassName: 'any', capacity: { requests: { memory: '7' } } },
            ],
          },
        ]),
      ],
    },
    ['r/less=a(memory:7)'],
  ],
  [
    'a capacity that no device has',
    { slices: EIGHT, claims: claims(request('r', { capacity: { requests: { x: '1' } } })) },
    undefined,
  ],
  [
    'without capacities anybody has a share',
    { slices: [makeSlice('n', [shared('a')])], shared: [[ID('a'), {}]], claims: claims(request('r'), request('s')) },
    ['r=a() s=a()'],
  ],
  ['somebody has it for himself', { slices: EIGHT, allocated: [ID('a')], claims: claims(asks('r', '1')) }, undefined],
  [
    'it could be shared once, and those who did still have it',
    { slices: [makeSlice('n', [{ name: 'a' }])], shared: [[ID('a'), {}]], claims: claims(request('r')) },
    undefined,
  ],
  [
    'a device for one claim that is large enough is given as a whole',
    {
      slices: [
        makeSlice('n', [
          { name: 'a', capacity: { memory: { value: '2' } } },
          { name: 'b', capacity: { memory: { value: '8' } } },
        ]),
      ],
      claims: claims(asks('r', '5')),
    },
    ['r=b'],
  ],
  [
    'a class of devices that are shared, and one of those that are not',
    {
      slices: [makeSlice('n', [{ name: 'a' }, shared('b')])],
      claims: claims(request('r', { deviceClassName: 'shared' }), request('s', { deviceClassName: 'alone' })),
    },
    ['r=b() s=a'],
  ],
  [
    'all: those that have enough left',
    {
      slices: TWO_OF_EIGHT,
      shared: [[ID('a'), { memory: '5' }]],
      claims: claims(asks('r', '4', { allocationMode: 'All' })),
    },
    ['r=b(memory:4)'],
  ],
  [
    'all: what another request of the pod takes is not left out',
    { slices: TWO_OF_EIGHT, claims: claims(asks('r', '5'), asks('s', '4', { allocationMode: 'All' })) },
    undefined,
  ],
  [
    'all: what is left beside another request',
    { slices: TWO_OF_EIGHT, claims: claims(asks('r', '4'), asks('s', '4', { allocationMode: 'All' })) },
    ['r=a(memory:4) s=a(memory:4) s=b(memory:4)'],
  ],
  [
    'each another model: one device is not two',
    {
      slices: [makeSlice('n', [model('a', 'x')])],
      claims: [makeClaim('c', [asks('r', '1'), asks('s', '1')], DISTINCT)],
    },
    undefined,
  ],
  [
    'each another model',
    {
      slices: [makeSlice('n', [model('a', 'x'), model('b', 'x'), model('c', 'y')])],
      claims: [makeClaim('c', [asks('r', '1'), asks('s', '1')], DISTINCT)],
    },
    ['r=a(memory:1) s=c(memory:1)'],
  ],
  [
    'an administrator looks at what is shared, and takes it from nobody',
    { slices: EIGHT, claims: claims(asks('r', '3', { adminAccess: true }), asks('s', '8')) },
    ['r=a(memory:3) s=a(memory:8)'],
  ],
  [
    'however many share a device, it takes of the card once',
    { slices: card('8', { a: '6' }), claims: claims(request('r'), request('s')) },
    ['r=a() s=a()'],
  ],
  [
    'also with those who had it before',
    {
      slices: card('8', { a: '6', b: '2' }),
      shared: [
        [ID('a'), {}],
        [ID('a'), {}],
      ],
      claims: claims(request('r'), request('s', { selectors: [] })),
    },
    ['r=a() s=a()'],
  ],
  [
    'what a shared device takes of the card is not there for another one',
    {
      slices: card('8', { a: '6', b: '4' }),
      shared: [[ID('a'), {}]],
      claims: [
        makeClaim('c', [request('r'), request('s')], { constraints: [{ distinctAttribute: 'd.example.org/m' }] }),
      ],
    },
    undefined,
  ],
  [
    'a share that is given back while it looks gives the card back',
    {
      slices: card('8', { a: '6', b: '4', c: '4' }, true).map((slice) => ({
        ...slice,
        spec: {
          ...slice.spec,
          devices: (slice.spec.devices ?? []).map((one) => ({ ...one, attributes: { m: { string: one.name } } })),
        },
      })),
      claims: [makeClaim('c', [request('r'), request('s')], DISTINCT)],
    },
    ['r=b() s=c()'],
  ],
];

for (const [name, given, expected] of ROWS) {
  test(`shares of devices: ${name}`, () => assert.deepEqual(allocate(given), expected));
}

test('what claims have is counted by claim: a promise that is written, a claim that goes, one that is seen again', () => {
  const allocated = givenDevices([ID('a'), { memory: '3' }]);
  const result = { request: 'r', driver: 'd.example.org', pool: 'n', device: 'a', shareID: 'x' };
  const allocation = { devices: { results: [{ ...result, consumedCapacity: { memory: '2' } }] } };
  const taken = (): bigint => (allocated.sharesOf(ID('a'))?.get('memory') ?? 0n) / 1_000_000_000n;
  allocated.promise('p', allocation);
  allocated.promise('p', allocation);
  assert.equal(taken(), 5n);
  allocated.see('p', makeClaim('p', [], { status: { allocation } }));
  allocated.withdraw('p');
  assert.equal(taken(), 5n);
  // Again, as after a watch that broke off.
  allocated.see('p', makeClaim('p', [], { status: { allocation } }));
  assert.equal(taken(), 5n);
  allocated.see('p', makeClaim('p', []));
  assert.equal(taken(), 3n);
  allocated.see('given-0', undefined);
  assert.equal(allocated.sharesOf(ID('a')), undefined);
  const looked = { devices: { results: [{ ...result, adminAccess: true }] } };
  allocated.see('q', makeClaim('q', [], { status: { allocation: looked } }));
  assert.equal(allocated.sharesOf(ID('a')), undefined);
});

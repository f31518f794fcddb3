import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '@binnacle/base';
import { testPod } from '../testing/node.ts';
import { Admittance } from './admittance.ts';
import type { PodWorld, Rejection } from './world.ts';

const SHORT = { resource: 'cpu', requested: 2, used: 3, capacity: 4 };
const FULL: Rejection = { reason: 'OutOfcpu', message: 'no', short: [SHORT] };
const NOT_GIVEN = { reason: 'UnexpectedAdmissionError', message: 'Allocate failed' };
const critical = testPod({ spec: { priority: 2_000_001_000 } });

interface Scene {
  readonly canMakeRoom?: boolean;
  readonly refusal?: Rejection;
  readonly misfit?: Rejection;
  /** What the node has is taken up until room is made. */
  readonly full?: boolean;
}

/** What is asked of a node while a pod comes, in order. */
function scene(given: Scene): { world: PodWorld; readonly did: string[] } {
  const did: string[] = [];
  const world = {
    log: silentLogger,
    apiNode: () => undefined,
    admit: () => (given.full === false ? undefined : FULL),
    refusedAnyway: () => given.misfit,
    makeRoom: () => {
      if (given.canMakeRoom === false) return undefined;
      did.push('end others');
      return Promise.resolve();
    },
    given: {
      alignment: {
        give: async () => {
          did.push('give');
          return given.refusal;
        },
        release: () => void did.push('take back'),
      },
    },
  };
  return { world: world as unknown as PodWorld, did };
}

const WAIT = <T>(work: Promise<T>): Promise<T> => work;

describe('a pod that the node cannot do without, where there is no room', () => {
  const rows: readonly [name: string, scene: Scene, reason: string | undefined, did: readonly string[]][] = [
    ['it has what it asks for, then others end', {}, undefined, ['give', 'end others']],
    ['nobody ends for one that cannot be given it', { refusal: NOT_GIVEN }, NOT_GIVEN.reason, ['give']],
    [
      'nobody is given anything who is refused anyway',
      { misfit: { reason: 'NodePorts', message: '' } },
      'NodePorts',
      [],
    ],
    [
      'it gives back what it was given where all others would not be enough',
      { canMakeRoom: false },
      'UnexpectedAdmissionError',
      ['give', 'take back'],
    ],
  ];
  for (const [name, given, reason, wanted] of rows)
    test(name, async () => {
      const { world, did } = scene(given);
      const admittance = new Admittance(world, false);
      assert.equal((await admittance.refusal(critical, WAIT))?.reason, reason);
      assert.deepEqual(did, wanted);
      assert.equal(admittance.isGiven, reason === undefined);
    });

  test('nobody ends for one that is let go of while it is given what it asks for', async () => {
    const { world, did } = scene({});
    const admittance = new Admittance(world, false);
    await assert.rejects(
      admittance.refusal(critical, async () => Promise.reject(new Error('not wanted'))),
      /not wanted/,
    );
    assert.deepEqual(did, ['give']);
    assert.equal(admittance.isGiven, false);
  });

  test('another pod ends nobody', async () => {
    const { world, did } = scene({});
    assert.equal((await new Admittance(world, false).refusal(testPod(), WAIT))?.reason, 'OutOfcpu');
    assert.deepEqual(did, []);
  });
});

test('where there is room it is taken, and it is asked once', async () => {
  const { world, did } = scene({ full: false });
  const admittance = new Admittance(world, false);
  for (let i = 0; i < 2; i++) assert.equal(await admittance.refusal(critical, WAIT), undefined);
  assert.deepEqual(did, ['give']);
});

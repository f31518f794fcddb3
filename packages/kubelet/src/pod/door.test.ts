import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod } from '@binnacle/api/core/v1';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { kubeletConfig } from '../config.ts';
import { testPod } from '../testing/node.ts';
import { admitPod, roomOf } from './admission.ts';
import { doorOf } from './door.ts';

const allocatable = { milliCpu: 4000, memoryBytes: 2 ** 30, ephemeralStorageBytes: 2 ** 30 };
const machine = { cpus: 4, hugePages: [] };
const config = kubeletConfig({ nodeName: 'n', maxPods: 100 });
const room = roomOf(config, { allocatable, machine }, undefined);

function openDoor() {
  const there = new Map<string, Pod>();
  let looks = 0;
  const others = (uid?: string): Pod[] => {
    looks++;
    return [...there.values()].filter((pod) => pod.metadata.uid !== uid);
  };
  const door = doorOf(
    { config, machine, allocatable },
    {
      others,
      pressure: () => undefined,
      refusal: () => undefined,
      preempt: () => Promise.resolve(),
      apiNode: () => undefined,
      devices: undefined,
    },
  );
  return { door, there, looks: () => looks };
}

const asking = (name: string, container: Partial<Container>): Pod => testPod({ name, container });
const cpu = (name: string, amount: string): Pod => asking(name, { resources: { requests: { cpu: amount } } });

test('pods that surely fit are let in without a look at the others, however many there are', () => {
  const { door, there, looks } = openDoor();
  for (let i = 0; i < 100; i++) {
    const pod = cpu(`p${i}`, '10m');
    assert.equal(door.admit(pod), undefined);
    there.set(pod.metadata.uid ?? '', pod);
  }
  assert.equal(looks(), 1);
  assert.equal(door.admit(cpu('more', '10m'))?.reason, 'OutOfpods');
});

test('what went leaves its room, what came unasked takes it', () => {
  const { door, there, looks } = openDoor();
  const [a, b] = [cpu('a', '3'), cpu('b', '3')];
  assert.equal(door.admit(a), undefined);
  there.set('a', a);
  assert.equal(door.admit(b)?.reason, 'OutOfcpu');
  there.clear();
  assert.equal(door.admit(b), undefined);
  assert.equal(looks(), 3);
  there.set('c', cpu('c', '3'));
  door.recount();
  assert.equal(door.admit(cpu('d', '2'))?.reason, 'OutOfcpu');
});

test('what is not counted is looked at', () => {
  const { door, there, looks } = openDoor();
  const port = (name: string): Pod => asking(name, { ports: [{ containerPort: 1, hostPort: 80 }] });
  const one = port('one');
  assert.equal(door.admit(one), undefined);
  there.set('one', one);
  assert.equal(door.admit(port('two'))?.reason, 'NodePorts');
  assert.equal(looks(), 2);
});

test('the door says what a look at all pods says, whatever comes and goes', () => {
  const random = createSeededRandom(41);
  const { door, there } = openDoor();
  let [taken, refused] = [0, 0];
  for (let i = 0; i < 2000; i++) {
    const names = [...there.keys()];
    if (randomBelow(random, 100) < 45 && names.length > 0) {
      there.delete(names[randomBelow(random, names.length)] ?? '');
      continue;
    }
    const amounts = { cpu: `${randomBelow(random, 900)}m`, memory: `${randomBelow(random, 200)}Mi` };
    const ports = randomBelow(random, 10) === 0 ? [{ containerPort: 1, hostPort: 1 + randomBelow(random, 3) }] : [];
    const pod = asking(`p${i}`, { resources: { requests: amounts }, ports });
    if (randomBelow(random, 20) === 0) {
      there.set(pod.metadata.uid ?? '', pod);
      door.recount();
      continue;
    }
    const wanted = admitPod(pod, [...there.values()], { ...room, extended: {} });
    assert.deepEqual(door.admit(pod), wanted, `step ${i}`);
    if (wanted === undefined) there.set(pod.metadata.uid ?? '', pod);
    if (wanted === undefined) taken++;
    else refused++;
  }
  assert.ok(taken > 250 && refused > 250, `${taken} taken, ${refused} refused`);
});

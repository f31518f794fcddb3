import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeNode, makePod } from '../testing/objects.ts';
import { Scene } from '../testing/scene.ts';
import { ExplanationLog } from './explanation.ts';
import { PreemptionTale } from './preemption-tale.ts';

const RACK = 'example.com/rack';

function largeScene(): Scene {
  const labels = (i: number): Record<string, string> => ({
    'kubernetes.io/hostname': `n${i}`,
    'topology.kubernetes.io/zone': `z${i % 3}`,
    [RACK]: `r${i % 400}`,
  });
  return new Scene().nodes(
    ...Array.from({ length: 2_000 }, (_, i) =>
      makeNode(`n${i}`, { unschedulable: i % 4 === 0, cpu: '4', labels: labels(i) }),
    ),
  );
}

/** A pod that is spread over a topology. */
function spreadPod(name: string, topologyKey: string, labels = { app: 'web' }): ReturnType<typeof makePod> {
  const pod = makePod(name, { cpu: '100m', labels });
  const constraint = { maxSkew: 5_000, topologyKey, whenUnsatisfiable: 'ScheduleAnyway' as const };
  const topologySpreadConstraints = [{ ...constraint, labelSelector: { matchLabels: labels } }];
  return { ...pod, spec: { ...pod.spec, topologySpreadConstraints } };
}

test('every score of every node is kept, at any size of the cluster', () => {
  const { explanation } = largeScene().decide(makePod('p', { cpu: '1' }));
  assert.equal(explanation.scored.length, 1_500);
  assert.deepEqual(Object.keys(explanation.scored[0]?.by ?? {}).sort(), [
    'NodeResourcesBalancedAllocation',
    'NodeResourcesFit',
  ]);
  const [refused] = explanation.refused;
  assert.deepEqual([refused?.plugin, refused?.nodes, refused?.names.length], ['NodeUnschedulable', 500, 500]);
});

test('what a decision said of nodes is not changed by what happens to them later', () => {
  const scene = largeScene();
  const log = new ExplanationLog(10);
  const { decision } = scene.decide(makePod('p', { cpu: '1' }));
  assert.ok(decision.kind === 'placed');
  log.put({ pod: 'default/p', uid: 'p', at: 1, node: decision.node }, decision.evidence);
  const before = log.get('default/p');
  scene.state.removeNode('n1');
  scene.nodes(makeNode('late'));
  scene.schedule(makePod('q', { cpu: '3' }));
  assert.deepEqual(log.get('default/p'), before);
});

test('each of many decisions is told as it was, whatever was decided and changed behind it', () => {
  const scene = new Scene().nodes(
    ...Array.from({ length: 40 }, (_, i) => makeNode(`n${i}`, { unschedulable: i % 4 === 0, cpu: '8' })),
  );
  const log = new ExplanationLog(1_000);
  const told = new Map<string, unknown>();
  for (let i = 0; i < 600; i++) {
    const key = `default/p${i}`;
    const { decision } = scene.decide(makePod(`p${i}`, { cpu: i % 3 === 0 ? '250m' : '300m' }));
    log.put({ pod: key, uid: key, at: i }, decision.evidence);
    told.set(key, log.get(key));
    if (decision.kind === 'placed') scene.state.assume(scene.demand(makePod(`p${i}`, { cpu: '300m' })), decision.node);
    // As many nodes come as fit, and one more, so that columns move.
    if (i % 50 === 7) scene.nodes(makeNode(`late-${i}`, { cpu: '2' }));
    if (i % 50 === 31) scene.state.removeNode(`n${i % 40}`);
    if (i % 50 === 43) scene.nodes(makeNode(`n${i % 40}`, { cpu: '3', unschedulable: i % 2 === 0 }));
  }
  for (const [key, was] of told) assert.deepEqual(log.get(key), was, key);
});

test('what was said of each node is forgotten when too much has changed since', () => {
  const scene = new Scene().nodes(makeNode('n', { cpu: '4' }), makeNode('m', { cpu: '4', unschedulable: true }));
  const log = new ExplanationLog(10);
  const pod = makePod('p', { cpu: '1' });
  const first = scene.decide(pod).decision;
  log.put({ pod: 'default/first', uid: '1', at: 1 }, first.evidence);
  for (let i = 0; i < 4_096; i++) {
    scene.nodes(makeNode('n', { cpu: i % 2 === 0 ? '3' : '4' }));
    scene.decide(pod);
  }
  assert.equal(log.get('default/first')?.isComplete, true);
  log.put({ pod: 'default/second', uid: '2', at: 2 }, scene.decide(pod).decision.evidence);
  scene.nodes(makeNode('n', { cpu: '3' }));
  scene.decide(pod);
  assert.deepEqual([log.get('default/first')?.isComplete, log.get('default/first')?.scored], [false, []]);
  assert.deepEqual(
    log.get('default/second')?.scored.map(({ node }) => node),
    ['n'],
  );
});

/** More of them than a full log has room for. */
function decideOften(scene: Scene, log: ExplanationLog, podOf: (i: number) => ReturnType<typeof makePod>): void {
  for (let i = 0; i < 1_200; i++) {
    const { decision } = scene.decide(podOf(i));
    assert.ok(decision.kind === 'placed');
    log.put({ pod: `default/p${i}`, uid: `p${i}`, at: i, node: decision.node }, decision.evidence);
  }
  assert.equal(log.pods().length, 1_000);
  assert.equal(log.get('default/p199'), undefined);
  assert.equal(typeof log.get('default/p200')?.node, 'string');
  assert.equal(log.get('default/p1199')?.scored.length, 1_500);
}

function completeOf(log: ExplanationLog): number {
  return log.pods().filter((pod) => log.get(pod)?.isComplete === true).length;
}

test('decisions about pods of one shape are all known in detail: their columns are there once', () => {
  const log = new ExplanationLog(1_000);
  decideOften(largeScene(), log, () => makePod('p', { cpu: '1' }));
  assert.equal(completeOf(log), 1_000);
});

test('memory is bounded: old decisions first lose what was said of each node, then are forgotten', () => {
  const log = new ExplanationLog(1_000);
  decideOften(largeScene(), log, (i) => makePod('p', { cpu: `${100 + i}m` }));
  const old = log.get('default/p200');
  assert.deepEqual([old?.isComplete, old?.scored.length], [false, 0]);
  // Of each shape 8 KB of verdicts and two columns of 32 KB each, for 4,000 slots, in 16 MiB.
  const complete = completeOf(log);
  assert.ok(complete >= 200 && complete < 240, String(complete));
});

test('memory is bounded where nodes come and go: each list of their names counts, and one of other labels is none', () => {
  const scene = new Scene().nodes(...Array.from({ length: 10_000 }, (_, i) => makeNode(`n${i}`)));
  const decideAll = (log: ExplanationLog, change: (i: number) => void): number => {
    for (let i = 0; i < 260; i++) {
      change(i);
      log.put(
        { pod: `default/p${i}`, uid: `p${i}`, at: i },
        scene.decide(makePod('p', { cpu: '1' })).decision.evidence,
      );
    }
    return log.detailed;
  };
  const churned = decideAll(new ExplanationLog(1_000), (i) => {
    scene.state.removeNode(`n${i}`);
    scene.nodes(makeNode(`late-${i}`));
  });
  // 80 KB of names each, in 16 MiB.
  assert.ok(churned >= 150 && churned < 210, String(churned));
  const relabelled = (i: number): unknown => scene.nodes(makeNode(`late-${i}`, { labels: { turn: String(i) } }));
  assert.equal(decideAll(new ExplanationLog(1_000), relabelled), 260);
});

test('memory is bounded where columns are copied', () => {
  const log = new ExplanationLog(1_000);
  // Too many racks to ask one node of each.
  decideOften(largeScene(), log, () => spreadPod('p', RACK));
  const complete = completeOf(log);
  assert.ok(complete >= 100 && complete < 600, String(complete));
});

test('decisions by groups of nodes are all known in detail: what was said of groups is small', () => {
  const log = new ExplanationLog(1_000);
  decideOften(largeScene(), log, () => spreadPod('p', 'topology.kubernetes.io/zone'));
  assert.equal(completeOf(log), 1_000);
});

test('decisions by groups of nodes are told as those by nodes, and as they were', () => {
  const [scene, log] = [largeScene(), new ExplanationLog(1_000)];
  const told = new Map<string, unknown>();
  for (let i = 0; i < 120; i++) {
    const pod = spreadPod(`p${i}`, i % 40 < 20 ? 'topology.kubernetes.io/zone' : 'kubernetes.io/hostname');
    const { decision } = scene.decide(pod);
    assert.ok(decision.kind === 'placed');
    const facts = { pod: `default/p${i}`, uid: `u${i}`, at: i };
    log.put(facts, decision.evidence);
    const now = log.get(facts.pod);
    told.set(facts.pod, now);
    // Every twentieth is the first that looks at this: it is asked node by node.
    assert.equal(decision.evidence.groups !== undefined, i % 20 !== 0, facts.pod);
    if (i % 7 === 3) {
      scene.forget();
      assert.deepEqual({ ...scene.decide(pod).explanation, ...facts }, now, facts.pod);
      scene.decide(pod);
    }
    scene.state.assume(scene.demand(pod), decision.node);
  }
  for (const [key, was] of told) assert.deepEqual(log.get(key), was, key);
});

test('memory is bounded where one pod is decided again and again, beside one that is not', () => {
  const scene = new Scene().nodes(makeNode('n', { cpu: '4' }));
  const log = new ExplanationLog(1_000);
  const { decision } = scene.decide(makePod('p', { cpu: '1' }));
  assert.ok(decision.kind === 'placed');
  for (const pod of ['once', ...Array.from({ length: 100 }, () => 'often')]) {
    log.put({ pod, uid: pod, at: 1, node: decision.node }, decision.evidence);
  }
  assert.deepEqual([log.pods(), log.detailed], [['once', 'often'], 2]);
  assert.deepEqual(
    log.pods().map((pod) => log.get(pod)?.isComplete),
    [true, true],
  );
});

/** Decides about a pod that fits nowhere, or on node `n`, and tells what preemption found. */
function decided(log: ExplanationLog, { uid = 'u', at, node }: { uid?: string; at: number; node?: string }): void {
  const { decision } = new Scene().nodes(makeNode('n', { cpu: '4' })).decide(makePod('p', { cpu: '1' }));
  log.put({ pod: 'default/p', uid, at, ...(node === undefined ? { message: 'no' } : { node }) }, decision.evidence);
}

const CHOSEN = { atMs: 1, tried: 1, candidates: 1, chosen: 'n', victims: [] };

test('room that was made is told of until the pod has its node, with what became of it in between', () => {
  const log = new ExplanationLog(10, (uid) => uid === 'v1');
  const victims = ['v1', 'v2'].map((name) => new Scene().demand({ ...makePod(name), metadata: { name, uid: name } }));
  decided(log, { at: 1 });
  log.amend('default/p', { nominatedNode: 'n', preemption: new PreemptionTale({ ...CHOSEN, victims }) });
  assert.deepEqual(log.get('default/p')?.preemption?.victimsLeft, 1);
  log.note({ pod: 'default/p', uid: 'u', at: 2 }, { what: 'asked', pods: 2 });
  log.note({ pod: 'default/p', uid: 'another', at: 2 }, { what: 'nowhere' });
  for (const at of [3, 4]) {
    decided(log, { at });
    log.amend('default/p', { preemption: new PreemptionTale({ atMs: at, obstacle: 'a victim still ends' }) });
  }
  decided(log, { at: 5, node: 'n' });
  const { chosen, steps } = log.get('default/p')?.preemption ?? {};
  assert.deepEqual(
    [chosen, steps],
    [
      'n',
      [
        { what: 'asked', pods: 2, atMs: 2, times: 1 },
        { what: 'waits', atMs: 4, times: 2 },
        { what: 'placed', node: 'n', atMs: 5, times: 1 },
      ],
    ],
  );
});

test('a later look replaces an earlier one, whose end is told before; a pod made anew has none', () => {
  const log = new ExplanationLog(10);
  decided(log, { at: 1 });
  log.amend('default/p', { preemption: new PreemptionTale(CHOSEN) });
  log.note({ pod: 'default/p', uid: 'u', at: 2 }, { what: 'cleared', node: '' });
  decided(log, { at: 3 });
  log.amend('default/p', { preemption: new PreemptionTale({ atMs: 3, tried: 0 }) });
  const told = log.get('default/p')?.preemption;
  assert.deepEqual([told?.atMs, told?.chosen, told?.steps.map(({ what }) => what)], [3, undefined, ['cleared']]);
  decided(log, { at: 4 });
  assert.equal(
    log.get('default/p')?.preemption,
    undefined,
    'where no room was found the next decision says what it found',
  );
  log.amend('default/p', { preemption: new PreemptionTale(CHOSEN) });
  decided(log, { at: 5, uid: 'u2', node: 'n' });
  assert.equal(log.get('default/p')?.preemption, undefined);
});

test('memory is bounded where preemption looked at much for many pods', () => {
  const log = new ExplanationLog(1_000);
  const scene = new Scene().nodes(makeNode('n', { cpu: '4' }));
  const { decision } = scene.decide(makePod('p', { cpu: '1' }));
  const long = 'x'.repeat(253);
  const named = Array.from({ length: 100 }, () => ({ namespace: long, name: long, priority: 1 }));
  const candidate = { node: long, victims: 100, named, budgetViolations: 0, prioritySum: 1 };
  const reasons = Array.from({ length: 100 }, (_, i) => ({
    reason: `${i}${long}${long}`,
    nodes: 9,
    names: [long, long],
  }));
  const much = {
    ...CHOSEN,
    candidates: 100,
    listed: Array.from({ length: 100 }, () => candidate),
    unsuitable: reasons,
  };
  for (let i = 0; i < 1_000; i++) {
    const pod = `default/p${i}`;
    log.put({ pod, uid: pod, at: i, message: 'no' }, decision.evidence);
    log.amend(pod, { preemption: new PreemptionTale(much) });
  }
  const told = log.pods().filter((pod) => log.get(pod)?.preemption !== undefined);
  const size = JSON.stringify(log.get('default/p999')?.preemption).length;
  assert.ok(size < 32_768, String(size));
  // What each says takes 2 bytes a letter, and its steps have their room: within 16 MiB.
  assert.ok(told.length * 2 * size < 16 * 2 ** 20 && told.length > 150 && told.length < 400, String(told.length));
  for (let i = 0; i < 1_000; i++) decidedAnew(log, i, decision.evidence);
  assert.equal(log.detailed, 1_000, 'the room is given back');
});

function decidedAnew(log: ExplanationLog, i: number, evidence: Parameters<ExplanationLog['put']>[1]): void {
  const pod = `default/p${i}`;
  log.put({ pod, uid: `${pod} anew`, at: i, node: 'n' }, evidence);
}

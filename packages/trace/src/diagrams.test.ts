import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HopKind } from '@binnacle/base';
import type { TraceHop } from './hop.ts';
import { arrowsOf, lanesOf, LiveArrows } from './arrows.ts';
import { htmlPage, svgPicture } from './html.ts';
import { mermaidDiagram } from './mermaid.ts';
import { terminalDiagram, terminalHead, terminalLine } from './terminal.ts';

interface Told {
  readonly type: HopKind;
  readonly title: string;
  readonly user?: string;
  readonly component?: string;
  readonly resource?: string;
  readonly cause?: number;
  readonly verb?: string;
  readonly error?: string;
}

function storyOf(told: readonly Told[]): TraceHop[] {
  return told.map(({ type, title, user, component = user ?? 'c', resource = 'pods', cause, verb, error }, at) => ({
    apiVersion: 'trace.binnacle.dev/v1',
    kind: 'Hop',
    metadata: { name: String(at), resourceVersion: String(at), creationTimestamp: '' },
    ...{ type, component, title, atMs: 1000 + at, durationMs: 0.5 },
    ...(user === undefined ? {} : { user }),
    object: { group: '', resource, namespace: 'default', name: 'x' },
    cause: cause === undefined ? { type: 'client' } : { type: 'hop', hop: String(cause) },
    ...(error === undefined ? {} : { error }),
    detail: verb === undefined ? {} : { verb },
  }));
}

const MANAGER = 'system:kube-controller-manager';
const RC = 'replicationcontrollers';
const ACCOUNT = 'system:serviceaccount:kube-system:replication-controller';

const STORY = storyOf([
  { type: 'watch', title: 'GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1&watch=true', user: 'system:node:n1' },
  {
    type: 'request',
    title: 'POST /api/v1/namespaces/default/replicationcontrollers',
    user: 'admin',
    verb: 'create',
    resource: RC,
  },
  {
    type: 'authorization',
    title: 'allowed create replicationcontrollers',
    component: 'kube-apiserver',
    resource: RC,
    cause: 1,
  },
  { type: 'commit', title: 'create at revision 5', component: 'store', resource: RC, cause: 1 },
  { type: 'delivery', title: 'ADDED replicationcontrollers default/x', user: MANAGER, resource: RC, cause: 3 },
  { type: 'reconcile', title: 'sync default/x', component: 'replication-controller', resource: RC, cause: 4 },
  { type: 'request', title: 'POST /api/v1/namespaces/default/pods', user: ACCOUNT, verb: 'create', cause: 5 },
  { type: 'commit', title: 'create at revision 6', component: 'store', cause: 6 },
  { type: 'delivery', title: 'ADDED pods default/x', user: 'system:kube-scheduler', cause: 7 },
  { type: 'decision', title: 'schedule default/x: bound to n1', component: 'default-scheduler', cause: 8 },
  {
    type: 'request',
    title: 'POST /api/v1/namespaces/default/pods/x/binding',
    user: 'system:kube-scheduler',
    verb: 'create',
    cause: 9,
  },
  { type: 'commit', title: 'update at revision 7', component: 'store', cause: 10 },
  { type: 'delivery', title: 'MODIFIED pods default/x', user: 'system:node:n1', cause: 11 },
  { type: 'runtime', title: 'run sandbox', component: 'runtime n1', cause: 12 },
  { type: 'runtime', title: 'start container', component: 'runtime n1', cause: 12 },
  {
    type: 'request',
    title: 'PATCH /api/v1/namespaces/default/pods/x/status',
    user: 'system:node:n1',
    verb: 'patch',
    cause: 12,
  },
  { type: 'commit', title: 'update at revision 8', component: 'store', cause: 15 },
]);

test("the eleven steps of a controller's pod are found, each once and in order", () => {
  const steps = arrowsOf(STORY).flatMap(({ step, hop }) =>
    step === undefined ? [] : [`${step}:${hop.metadata.name}`],
  );
  assert.deepEqual(steps, ['1:1', '2:3', '3:4', '4:6', '5:7', '6:8', '7:10', '8:11', '9:12', '10:14', '11:15']);
});

test('a bare pod has no third to fifth step', () => {
  const bare = storyOf([
    { type: 'request', title: 'POST /api/v1/namespaces/default/pods', user: 'admin', verb: 'create' },
    { type: 'commit', title: 'create at revision 6', component: 'store', cause: 0 },
    { type: 'delivery', title: 'ADDED pods default/x', user: 'system:kube-scheduler', cause: 1 },
    {
      type: 'request',
      title: 'POST /api/v1/namespaces/default/pods/x/binding',
      user: 'system:kube-scheduler',
      verb: 'create',
      cause: 2,
    },
  ]);
  assert.deepEqual(
    arrowsOf(bare).map(({ step }) => step),
    [1, 2, 6, 7],
  );
});

test('the terminal shows lanes, arrows in both directions, notes, steps and times', () => {
  const lines = terminalDiagram(STORY).split('\n');
  assert.match(lines[0] ?? '', /client +apiserver +store +controllers +scheduler +kubelet +runtime/);
  assert.match(lines[1] ?? '', /before .*◀.* watch \/api\/v1\/pods \(fieldSelector spec\.nodeName=n1\)/);
  assert.match(
    lines[2] ?? '',
    /^① +\+0\.0 ms .*├─+▶.* POST \/api\/v1\/namespaces\/default\/replicationcontrollers \(0\.5 ms\)/,
  );
  assert.match(lines[3] ?? '', /● .*allowed create/);
  assert.ok(lines.some((line) => line.startsWith('⑪')));
});

test('a story that goes on is shown as the one that is over', () => {
  const live = new LiveArrows();
  const lanes = lanesOf(arrowsOf(STORY));
  const lines = STORY.map((hop) => terminalLine(live.next(hop), lanes));
  assert.equal([terminalHead(lanes), ...lines, ''].join('\n'), terminalDiagram(STORY));
  assert.deepEqual(lanesOf([]), []);
});

const EVIL = '\u001b[2J;alert <script>x</script> #35; "q" \u202e\u061c';

test('nothing in a hop steers a terminal, a diagram or a page', () => {
  const evil = storyOf([
    { type: 'event', title: EVIL, component: 'kubelet n1' },
    { type: 'request', title: EVIL, user: EVIL, error: EVIL },
  ]);
  const terminal = terminalDiagram(evil);
  assert.doesNotMatch(terminal.replaceAll('\n', ''), /[\p{Cc}\u202e\u061c]/u);
  const mermaid = mermaidDiagram(evil);
  assert.equal(mermaid.split('\n').length, 7, 'two hops, two lanes and a head');
  assert.doesNotMatch(mermaid.replaceAll(/#\d+;/g, ''), /[<>;#"]/);
  const page = htmlPage(evil, EVIL);
  assert.doesNotMatch(page, /<script|<a href="#hop-[^"]*"[^>]*on/);
  assert.match(page, /default-src 'none'/);
  assert.match(page, /&lt;script&gt;/);
});

test('a page carries all hops and asks for nothing', () => {
  const page = htmlPage(STORY, 'pods/x');
  assert.equal(page.match(/<details/g)?.length, STORY.length);
  assert.doesNotMatch(page, /(?:src|href)="(?!#)/);
});

test('a picture alone has its style, all hops, and leads nowhere', () => {
  const picture = svgPicture(STORY, 'pods/<x>');
  assert.match(picture, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.match(picture, /<title>pods\/&lt;x&gt;<\/title>/);
  assert.equal(picture.match(/<text x="\d+" y="\d+">/g)?.length, STORY.length);
  assert.doesNotMatch(picture, /href|<a /);
});

test('a picture is XML whatever names hold: every character in it is one that XML may have', () => {
  // XML 1.0, production 2.
  const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
  const odd = [
    '\0',
    '\u0008',
    '\u001b[2J',
    '\u009b',
    '\ud800',
    '\udfff',
    '\ufffe',
    '\uffff',
    '\u202e',
    ']]>',
    '&#0;',
    '😀',
  ];
  for (const name of odd) {
    const hops = storyOf([{ type: 'request', title: `GET /${name}`, user: 'u', verb: 'create', error: name }]);
    for (const text of [svgPicture(hops, name), htmlPage(hops, name)]) {
      assert.doesNotMatch(text, notInXml, JSON.stringify(name));
      assert.doesNotMatch(text, /&#0;/);
    }
  }
});

const DECIDED: TraceHop = {
  ...(STORY[9] as TraceHop),
  detail: {
    isComplete: true,
    refused: [{ plugin: 'TaintToleration', reasons: ['a <taint>'], nodes: 1, names: ['n2'] }],
    scored: [{ node: 'n1', total: 7, by: { Fit: 7 } }],
  },
};

test('a decision is shown with its filters and scores, whatever the form', () => {
  const filters = /TaintToleration refused 1 node \(a (?:<|&lt;|#60;)taint(?:>|&gt;|#62;)\): n2/;
  const scores = /n1 has 7 points = Fit 7/;
  const hops = [...STORY.slice(0, 9), DECIDED, ...STORY.slice(10)];
  for (const text of [terminalDiagram(hops), mermaidDiagram(hops), htmlPage(hops, 't'), svgPicture(hops, 't')]) {
    assert.match(text, filters);
    assert.match(text, scores);
  }
  const followed = terminalLine(new LiveArrows().next(DECIDED)).split('\n');
  assert.deepEqual([followed.length, filters.test(followed[1] ?? ''), scores.test(followed[2] ?? '')], [3, true, true]);
  const heights = [STORY, hops].map((one) => Number(/height="(\d+)"/.exec(svgPicture(one, 't'))?.[1]));
  assert.equal((heights[1] ?? 0) - (heights[0] ?? 0), 32, 'there is room for both lines');
});

test('waiting in a queue is a step of whose queue it is; who acts as somebody else is named with both', () => {
  const [queue, schedule, asked] = storyOf([
    { type: 'queue', title: 'in the queue: sync default/x', component: 'garbage-collector' },
    { type: 'queue', title: 'in the queue: schedule default/x', component: 'my-own' },
    { type: 'request', title: 'POST /api/v1/pods', user: 'boss', verb: 'create' },
  ]) as [TraceHop, TraceHop, TraceHop];
  const arrows = arrowsOf([
    { ...queue, detail: { of: 'reconcile' } },
    { ...schedule, detail: { of: 'decision' } },
    { ...asked, impersonatedUser: 'jane' },
  ]);
  assert.deepEqual(
    arrows.map(({ from, to, label }) => [from, to, label]),
    [
      ['controllers', 'controllers', 'garbage-collector: in the queue: sync default/x'],
      ['scheduler', 'scheduler', 'my-own: in the queue: schedule default/x'],
      ['client', 'apiserver', 'POST /api/v1/pods (boss as jane)'],
    ],
  );
});

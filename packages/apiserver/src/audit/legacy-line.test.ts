import assert from 'node:assert/strict';
import test from 'node:test';
import type { AuditEvent } from '../ports/audit.ts';
import { legacyLine } from './legacy-line.ts';

const EVENT: AuditEvent = {
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'id-1',
  stage: 'RequestReceived',
  requestURI: '/apis',
  verb: 'get',
  user: {},
  requestReceivedTimestamp: '2026-01-01T00:00:00.000000Z',
  stageTimestamp: '2026-01-01T00:00:00.000000Z',
};

test('what is not known has a name', () => {
  assert.equal(
    legacyLine(EVENT),
    '2026-01-01T00:00:00.000000Z AUDIT: id="id-1" stage="RequestReceived" ip="<unknown>" method="get" user="<none>" groups="<none>" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/apis" response="<deferred>"',
  );
});

test('what is known; a line stays one line', () => {
  const line = legacyLine({
    ...EVENT,
    user: { username: 'ja"ne', groups: ['a', 'b'] },
    impersonatedUser: { username: 'joe', groups: ['c'] },
    sourceIPs: ['10.0.0.1', '10.0.0.2'],
    userAgent: 'x\ny',
    objectRef: { namespace: 'default' },
    responseStatus: { code: 200 },
  });
  assert.ok(!line.includes('\n'));
  assert.match(
    line,
    /ip="10.0.0.1" method="get" user="ja\\"ne" groups="\\"a\\",\\"b\\"" as="joe" asgroups="\\"c\\"" user-agent="x\\ny" namespace="default"/,
  );
  assert.match(line, /response="200"$/);
});

import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { bracketed, hostPort } from './host-port.ts';

void test('only an address of IPv6 stands in brackets', () => {
  equal(bracketed('fd00::1'), '[fd00::1]');
  equal(bracketed('10.0.0.1'), '10.0.0.1');
  equal(bracketed('worker-1'), 'worker-1');
});

void test('a host and its port are one text', () => {
  equal(hostPort('fd00::1', 443), '[fd00::1]:443');
  equal(hostPort('10.0.0.1', 'https'), '10.0.0.1:https');
});

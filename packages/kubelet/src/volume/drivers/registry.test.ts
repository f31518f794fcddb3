import assert from 'node:assert/strict';
import { test } from 'node:test';
import { driverFor, volumeDrivers } from './registry.ts';

test('every driver is found by its field, and only by it', () => {
  for (const driver of volumeDrivers) assert.equal(driverFor({ name: 'v', [driver.source]: {} }), driver);
  assert.equal(driverFor({ name: 'v' }), undefined);
  assert.equal(driverFor({ name: 'v', nfs: { server: 's', path: '/' } }), undefined);
});

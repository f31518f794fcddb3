/** One row for each thing that a pod may ask of its node: the piece of the definition, and where it is seen. */
import type { Row } from './row.ts';
import type { Scene } from './scene.ts';
import { processRows } from './process-rows.ts';
import { volumesRows } from './volumes-rows.ts';
import { securityRows } from './security-rows.ts';
import { networkRows } from './network-rows.ts';
import { lifeRows } from './life-rows.ts';

/** All of them. */
export function podFieldRows(scene: Scene): readonly Row[] {
  return [...processRows(scene), ...volumesRows(scene), ...securityRows(), ...networkRows(scene), ...lifeRows(scene)];
}

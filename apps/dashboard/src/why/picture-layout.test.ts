import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf } from './picture-layout.ts';
import type { PictureLayout, PictureSize } from './picture-layout.ts';

const WIDE: PictureSize = { lanes: 7, longest: 100, isNarrow: false };
const BESIDE = { laneWidth: 84, row: 24, top: 36, text: { x: 588, below: 4 } };
const UNDER = { laneWidth: 46, row: 42, top: 72, text: { x: 4, below: 19 } };
const ROWS: readonly (readonly [what: string, size: Partial<PictureSize>, layout: PictureLayout])[] = [
  ['beside all lanes, where there is room', {}, { ...BESIDE, width: 1288 }],
  ['as wide as the longest text', { longest: 300 }, { ...BESIDE, width: 2688 }],
  ['short texts', { longest: 3 }, { ...BESIDE, width: 908 }],
  ['a text without end', { longest: 1e6 }, { ...BESIDE, width: 4588 }],
  ['on a telephone', { isNarrow: true, longest: 20 }, { ...UNDER, width: 322 }],
  ['on a telephone, long texts', { isNarrow: true }, { ...UNDER, width: 700 }],
  ['nothing', { lanes: 0, longest: 0 }, { ...BESIDE, text: { x: 0, below: 4 }, width: 320 }],
];
for (const [what, size, layout] of ROWS) test(what, () => deepEqual(layoutOf({ ...WIDE, ...size }), layout));

/** Where a sequence diagram puts what, in pixels. */
export interface PictureLayout {
  readonly laneWidth: number;
  /** From one arrow to the next. */
  readonly row: number;
  /** Of the first arrow. */
  readonly top: number;
  /** Of what is said of an arrow; below: under it, else beside all lanes. */
  readonly text: { readonly x: number; readonly below: number };
  readonly width: number;
}

/** What a picture is made of, as far as its size goes. */
export interface PictureSize {
  readonly lanes: number;
  /** Characters of the longest text. */
  readonly longest: number;
  /** Of a telephone: words stand under their arrows, for beside them nobody would see both. */
  readonly isNarrow: boolean;
}

const CHARACTER_PX = 7;
const TEXT_MIN = 320;
/** Texts of others are long; what is longer is in the details of the arrow. */
const TEXT_MAX = 4_000;

/** Text beside the lanes where there is room, under each arrow where there is none; nothing of it is cut. */
export function layoutOf({ lanes, longest, isNarrow }: PictureSize): PictureLayout {
  const textWidth = Math.min(TEXT_MAX, Math.max(TEXT_MIN, longest * CHARACTER_PX));
  if (isNarrow) {
    const laneWidth = 46;
    const width = Math.max(lanes * laneWidth, textWidth);
    return { laneWidth, row: 42, top: 72, text: { x: 4, below: 19 }, width };
  }
  const laneWidth = 84;
  const x = lanes * laneWidth;
  return { laneWidth, row: 24, top: 36, text: { x, below: 4 }, width: x + textWidth };
}

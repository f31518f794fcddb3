import { STEERING } from '@binnacle/trace';

/** A piece of a line in one look. */
export interface Span {
  readonly text: string;
  /** A colour of the theme: `red`. */
  readonly color?: string;
  readonly bold?: boolean;
}

const COLORS = ['dark', 'red', 'teal', 'yellow', 'blue', 'grape', 'cyan', 'gray'];
/** An escape sequence of any sort; those that are no colours are left out. */
const SEQUENCE = new RegExp(
  [
    String.raw`\x1b\[([\d;]{0,32})([@-~])`,
    String.raw`\x1b[\]PX^_][^\x07\x1b]{0,256}(?:\x07|\x1b\\)`,
    String.raw`\x1b.`,
  ].join('|'),
  'g',
);

/** A line is drawn so far, and in so many looks: browsers lay out no more in a frame. */
const DRAWN_MAX = 20_000;
const SPANS_MAX = 500;

/** A line of a log with its colours; what else would steer a terminal does nothing. Very long ones end in `…`. */
export function spansOf(whole: string): readonly Span[] {
  const line = whole.length > DRAWN_MAX ? `${whole.slice(0, DRAWN_MAX)}…` : whole;
  const spans: Span[] = [];
  let look: Omit<Span, 'text'> = {};
  let from = 0;
  const push = (to: number): void => {
    const text = line.slice(from, to).replaceAll('\t', '    ').replaceAll(STEERING, '');
    if (text !== '') spans.push({ text, ...look });
  };
  for (const match of line.matchAll(SEQUENCE)) {
    if (spans.length >= SPANS_MAX) break;
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') look = lookAfter(look, match[1] ?? '');
  }
  push(line.length);
  return spans;
}

function lookAfter(look: Omit<Span, 'text'>, text: string): Omit<Span, 'text'> {
  const codes = text.split(';').map(Number);
  // Colours of palettes have parameters of their own.
  if (codes[0] === 38 || codes[0] === 48) return look;
  return codes.reduce(lookAfterCode, look);
}

function lookAfterCode(look: Omit<Span, 'text'>, code: number): Omit<Span, 'text'> {
  if (code === 0) return {};
  if (code === 1) return { ...look, bold: true };
  if (code === 39) return look.bold === true ? { bold: true } : {};
  const isColor = (code >= 30 && code < 38) || (code >= 90 && code < 98);
  const color = isColor ? COLORS[code >= 90 ? code - 90 : code - 30] : undefined;
  return color === undefined ? look : { ...look, color };
}

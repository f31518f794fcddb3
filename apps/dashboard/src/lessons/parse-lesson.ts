/** A lesson as it is shown: what it is about, and what there is to do. */
export interface Lesson {
  readonly title: string;
  readonly intro: readonly Part[];
  readonly steps: readonly LessonStep[];
}

/** One thing to do. */
export interface LessonStep {
  readonly title: string;
  readonly parts: readonly Part[];
  /** By what it is seen that it happened; absent: whoever did it says so. */
  readonly seen?: Seen;
  /** Where in the dashboard it can be watched. */
  readonly look?: string;
}

/** A list of the API in which so many rows show some words. */
export interface Seen {
  readonly path: string;
  readonly query: string;
  readonly words: string;
  readonly rows: number;
}

/** A paragraph, or commands. */
export type Part =
  | { readonly type: 'text'; readonly spans: readonly Span[] }
  | { readonly type: 'code'; readonly text: string };

/** A piece of a paragraph. */
export type Span =
  | { readonly type: 'plain' | 'code'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly to: string };

const SEEN = /^<!-- seen: (\S+) :: (.*?) ?:: (\d+) -->$/;
const LOOK = /^<!-- look: (\/\S*) -->$/;

/** Reads the Markdown of a lesson: one title, a heading per step, paragraphs, fences, and what is to be seen. */
export function parseLesson(markdown: string): Lesson {
  const [head = '', ...rest] = markdown.split(/^## /m);
  const [title = '', ...intro] = head.split('\n');
  return {
    title: title.replace(/^# /, ''),
    intro: partsOf(intro.join('\n')),
    steps: rest.map(parseStep),
  };
}

function parseStep(text: string): LessonStep {
  const [title = '', ...rest] = text.split('\n');
  const seen = rest.flatMap((line) => seenOf(line) ?? [])[0];
  const look = rest.flatMap((line) => LOOK.exec(line)?.[1] ?? [])[0];
  return {
    title,
    parts: partsOf(rest.join('\n')),
    ...(seen === undefined ? {} : { seen }),
    ...(look === undefined ? {} : { look }),
  };
}

function seenOf(line: string): Seen | undefined {
  const found = SEEN.exec(line);
  if (found === null) return undefined;
  const [, target = '', words = '', rows = '0'] = found;
  const [path = '', query = ''] = target.split('?');
  return { path, query, words, rows: Number(rows) };
}

function partsOf(text: string): readonly Part[] {
  const parts: Part[] = [];
  for (const [at, piece] of text.split(/^```.*\n?/m).entries()) {
    if (at % 2 === 1) {
      parts.push({ type: 'code', text: piece.trimEnd() });
      continue;
    }
    const paragraphs = piece.split(/\n{2,}/).map((paragraph) => paragraph.trim());
    for (const paragraph of paragraphs) {
      if (paragraph !== '' && !paragraph.startsWith('<!--')) parts.push({ type: 'text', spans: spansOf(paragraph) });
    }
  }
  return parts;
}

function spansOf(paragraph: string): readonly Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const found of paragraph.matchAll(/`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)/g)) {
    if (found.index > end) spans.push({ type: 'plain', text: paragraph.slice(end, found.index) });
    const [all, code, text = '', to = ''] = found;
    spans.push(code === undefined ? { type: 'link', text, to } : { type: 'code', text: code });
    end = found.index + all.length;
  }
  if (end < paragraph.length) spans.push({ type: 'plain', text: paragraph.slice(end) });
  return spans;
}

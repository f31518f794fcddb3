import { deepEqual, equal, ok } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseLesson } from './parse-lesson.ts';

const FOLDER = new URL('../../../../docs/lessons/', import.meta.url);

test('titles, paragraphs, commands, and what is to be seen', () => {
  const lesson = parseLesson(`# A title

Some \`code\` and a [link](x.md).

## Do it

First.

\`\`\`sh
a
b
\`\`\`

<!-- seen: /api/v1/pods?a=b :: Running web :: 2 -->

<!-- look: /pauses -->

## Then

<!-- seen: /api/v1/pods :: :: 0 -->
`);
  equal(lesson.title, 'A title');
  deepEqual(lesson.intro, [
    {
      type: 'text',
      spans: [
        { type: 'plain', text: 'Some ' },
        { type: 'code', text: 'code' },
        { type: 'plain', text: ' and a ' },
        { type: 'link', text: 'link', to: 'x.md' },
        { type: 'plain', text: '.' },
      ],
    },
  ]);
  deepEqual(lesson.steps, [
    {
      title: 'Do it',
      parts: [
        { type: 'text', spans: [{ type: 'plain', text: 'First.' }] },
        { type: 'code', text: 'a\nb' },
      ],
      seen: { path: '/api/v1/pods', query: 'a=b', words: 'Running web', rows: 2 },
      look: '/pauses',
    },
    { title: 'Then', parts: [], seen: { path: '/api/v1/pods', query: '', words: '', rows: 0 } },
  ]);
});

for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== 'README.md')) {
  test(`${file} is the same lesson in both languages`, () => {
    const [english, korean] = [file, `ko/${file}`].map((name) =>
      parseLesson(readFileSync(new URL(name, FOLDER), 'utf8')),
    );
    ok(english !== undefined && english.title !== '' && english.steps.length > 2);
    const toDo = (lesson = english) =>
      lesson.steps.map(({ parts, seen, look }) => ({ code: parts.filter(({ type }) => type === 'code'), seen, look }));
    deepEqual(toDo(korean), toDo(english));
    ok(english.steps.every(({ parts }) => parts.filter(({ type }) => type === 'code').length === 1));
    ok(/[가-힣]/.test(korean?.title ?? ''));
  });
}

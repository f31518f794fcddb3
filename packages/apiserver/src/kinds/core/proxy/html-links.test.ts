import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeededRandom, randomBelow } from '@binnacle/base';
import { HtmlLinks } from './html-links.ts';

const mark = (link: string): string => `[${link}]`;

function pass(pieces: readonly string[]): string {
  const links = new HtmlLinks(mark);
  return pieces.map((piece) => links.write(piece)).join('') + links.end();
}

const ROWS: readonly (readonly [what: string, page: string, expected: string])[] = [
  ['double quotes', '<a href="/x">t</a>', '<a href="[/x]">t</a>'],
  ['single quotes', "<a href='/x'>", "<a href='[/x]'>"],
  ['no quotes', '<a href=/x>', '<a href=[/x]>'],
  ['letters of any size', '<A HREF="/x">', '<A HREF="[/x]">'],
  ['several', '<img src="/a" longdesc="/b" alt="/c">', '<img src="[/a]" longdesc="[/b]" alt="/c">'],
  ['entities stay', '<a href="/x?a=1&amp;b">', '<a href="[/x?a=1&amp;b]">'],
  ['closed in itself', '<link href="/x"/>', '<link href="[/x]"/>'],
  ['spaces', '<a  href = "/x" >', '<a  href = "[/x]" >'],
  ['another element', '<p href="/x">', '<p href="/x">'],
  ['an end tag', '</a href="/x">', '</a href="/x">'],
  ['a comment', '<!-- <a href="/x"> -->', '<!-- <a href="/x"> -->'],
  ['a script', '<script src="/s">"<a href=\'/x\'>"</script>', '<script src="[/s]">"<a href=\'/x\'>"</script>'],
  ['no value', '<a href><a href="">', '<a href><a href="">'],
  ['unfinished', '<a href="/x', '<a href="/x'],
  [
    'names that every object has',
    '<constructor href="/x"><a __proto__="/x">',
    '<constructor href="/x"><a __proto__="/x">',
  ],
  ['bytes', '<a href="/\xc3\xa4">\xff</a>', '<a href="[/\xc3\xa4]">\xff</a>'],
];

for (const [what, page, expected] of ROWS) {
  test(`links: ${what}`, () => {
    assert.equal(pass([page]), expected);
    assert.equal(pass(page.split('')), expected);
  });
}

test('pages cut anywhere come out the same', () => {
  const page = ROWS.filter(([what]) => what !== 'unfinished')
    .map(([, text]) => text)
    .join('\n');
  const whole = pass([page]);
  for (let seed = 1; seed <= 200; seed++) {
    const random = createSeededRandom(seed);
    const pieces: string[] = [];
    for (let at = 0; at < page.length;) {
      const length = 1 + randomBelow(random, 40);
      pieces.push(page.slice(at, at + length));
      at += length;
    }
    assert.equal(pass(pieces), whole, `seed ${seed}`);
  }
});

test('what never ends is held back no longer than a link may be', () => {
  for (const start of ['<a href="/', '<!-- ', '<a href', '<script>', '<']) {
    const links = new HtmlLinks(mark);
    let out = links.write(start).length;
    for (let i = 0; i < 64; i++) out += links.write('x'.repeat(16 * 1024)).length;
    assert.ok(out > 64 * 16 * 1024 - 65 * 1024, start);
    out += links.end().length;
    assert.equal(out, start.length + 64 * 16 * 1024);
  }
});

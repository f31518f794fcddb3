import { Tokenizer } from 'htmlparser2';

/** Attributes that hold a link, by element (HTML 4.01, index of attributes; HTML Living Standard, attributes). */
const LINKS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    a: ['href'],
    applet: ['codebase'],
    area: ['href'],
    audio: ['src'],
    base: ['href'],
    blockquote: ['cite'],
    body: ['background'],
    button: ['formaction'],
    command: ['icon'],
    del: ['cite'],
    embed: ['src'],
    form: ['action'],
    frame: ['longdesc', 'src'],
    head: ['profile'],
    html: ['manifest'],
    iframe: ['longdesc', 'src'],
    img: ['longdesc', 'src', 'usemap'],
    input: ['src', 'usemap', 'formaction'],
    ins: ['cite'],
    link: ['href'],
    object: ['classid', 'codebase', 'data', 'usemap'],
    q: ['cite'],
    script: ['src'],
    source: ['src'],
    video: ['poster', 'src'],
  }).map(([element, attributes]) => [element, new Set(attributes)]),
);
const NO_LINKS: ReadonlySet<string> = new Set();
/** A longer value is no link. */
const LINK_LENGTH_MAX = 64 * 1024;
/** Names may begin in one piece and end in the next; longer ones are none that hold links. */
const NAME_LENGTH_MAX = 64;

/**
 * Changes the links of a page while it passes by, in memory for one link. Letters are bytes (Latin-1): what is not a
 * link comes out as it came in.
 */
export class HtmlLinks {
  readonly #rewrite: (link: string) => string;
  readonly #tokenizer: Tokenizer;
  /** The page's text from `#start` on; what is before `#sent` has gone out already. */
  #text = '';
  #start = 0;
  #sent = 0;
  #links = NO_LINKS;
  #isLink = false;
  /** Where the value of the link begins, once it has. */
  #valueStart: number | undefined;
  #valueEnd = 0;
  #out: string[] = [];

  constructor(rewrite: (link: string) => string) {
    this.#rewrite = rewrite;
    const nothing = (): void => undefined;
    this.#tokenizer = new Tokenizer(
      { decodeEntities: false },
      {
        onopentagname: (start, end) => {
          this.#links = LINKS.get(this.#name(start, end)) ?? NO_LINKS;
        },
        onattribname: (start, end) => {
          this.#isLink = this.#links.has(this.#name(start, end));
          this.#valueStart = undefined;
        },
        onattribdata: (start, end) => {
          if (!this.#isLink) return;
          this.#valueStart ??= start;
          this.#valueEnd = end;
        },
        onattribend: () => this.#endValue(),
        onopentagend: () => this.#endTag(),
        onselfclosingtag: () => this.#endTag(),
        onattribentity: nothing,
        oncdata: nothing,
        onclosetag: nothing,
        oncomment: nothing,
        ondeclaration: nothing,
        onend: nothing,
        onprocessinginstruction: nothing,
        ontext: nothing,
        ontextentity: nothing,
      },
    );
  }

  /** What can be sent of the page after one more piece of it. */
  write(piece: string): string {
    this.#text += piece;
    this.#tokenizer.write(piece);
    const end = this.#start + this.#text.length;
    if (end - (this.#valueStart ?? end) > LINK_LENGTH_MAX) this.#forgetValue();
    this.#sendUntil(this.#valueStart ?? end);
    return this.#take(this.#sent);
  }

  /** The rest. */
  end(): string {
    this.#tokenizer.end();
    this.#sendUntil(this.#start + this.#text.length);
    return this.#take(this.#sent);
  }

  #endValue(): void {
    const start = this.#valueStart;
    const end = this.#valueEnd;
    if (start !== undefined && end > start) {
      this.#sendUntil(start);
      this.#out.push(this.#rewrite(this.#slice(start, end)));
      this.#sent = end;
    }
    this.#forgetValue();
  }

  #endTag(): void {
    this.#links = NO_LINKS;
    this.#forgetValue();
  }

  #forgetValue(): void {
    this.#isLink = false;
    this.#valueStart = undefined;
  }

  #sendUntil(end: number): void {
    if (end <= this.#sent) return;
    this.#out.push(this.#slice(this.#sent, end));
    this.#sent = end;
  }

  /** What has gone out, without what may still be the beginning of a name. */
  #take(sent: number): string {
    const keep = Math.max(this.#start, sent - NAME_LENGTH_MAX);
    this.#text = this.#text.slice(keep - this.#start);
    this.#start = keep;
    const out = this.#out.join('');
    this.#out = [];
    return out;
  }

  #slice(start: number, end: number): string {
    return this.#text.slice(start - this.#start, end - this.#start);
  }

  #name(start: number, end: number): string {
    return start < this.#start ? '' : this.#slice(start, end).toLowerCase();
  }
}

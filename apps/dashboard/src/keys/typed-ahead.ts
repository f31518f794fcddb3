/** What is read of a key that goes down. */
export interface KeyStroke extends Partial<Pick<KeyboardEvent, 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing'>> {
  readonly key: string;
}

/** The field for which is typed. */
export interface TypedInto {
  edit(change: (text: string) => string): void;
  /** The line is at its end. */
  enter(): void;
}

/** No name is longer. */
const LETTERS_MAX = 256;

/**
 * Keeps what is typed for a field that is on its way: the search is opened by a key, and loaded when it is first opened, and
 * who knows what he wants does not wait for it. What is typed while the field is there and another has the keys goes into it.
 */
export class TypedAhead {
  #text = '';
  #isEntered = false;
  #into: TypedInto | undefined;

  /** `taken`: the key is nobody else's any more; `left`: so, and the field is not wanted; undefined: it is none to write with. */
  take({ key, ctrlKey, metaKey, altKey, isComposing }: KeyStroke): 'taken' | 'left' | undefined {
    if (ctrlKey === true || metaKey === true || altKey === true || isComposing === true) return undefined;
    if (key === 'Escape') {
      this.forget();
      return 'left';
    }
    if (key === 'Enter') this.#enter();
    else if (key === 'Backspace') this.#edit((text) => Array.from(text).slice(0, -1).join(''));
    else if (Array.from(key).length === 1) this.#edit((text) => (text + key).slice(0, LETTERS_MAX));
    else return undefined;
    return 'taken';
  }

  /** The field is there: it gets what was typed so far, and what is typed beside it, until what comes back is called. */
  attach(into: TypedInto): () => void {
    const [text, isEntered] = [this.#text, this.#isEntered];
    this.forget();
    this.#into = into;
    if (text !== '') into.edit(() => text);
    if (isEntered) into.enter();
    return () => {
      if (this.#into === into) this.#into = undefined;
    };
  }

  #edit(change: (text: string) => string): void {
    if (this.#into !== undefined) this.#into.edit(change);
    else if (!this.#isEntered) this.#text = change(this.#text);
  }

  #enter(): void {
    if (this.#into === undefined) this.#isEntered = true;
    else this.#into.enter();
  }

  /** Nobody waits for it any more. */
  forget(): void {
    this.#text = '';
    this.#isEntered = false;
  }
}

/** For the search, the only field that keys open. */
export const typedAhead = new TypedAhead();

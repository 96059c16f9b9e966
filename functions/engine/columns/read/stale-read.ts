/** The state that was read has been replaced while it was read: the read starts again. */
export class StaleRead extends Error {
  constructor(what: string) {
    super(`A list was read while it changed: ${what}.`);
    this.name = 'StaleRead';
  }
}

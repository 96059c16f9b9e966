export function durationText(milliseconds: number): string;
export function progressText(done: number, total: number, elapsedMs: number): string;

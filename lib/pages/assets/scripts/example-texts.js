/** Changes the texts of examples. Highlighted code consists of many elements, each with a part of the text. */

/** Replaces each text in an element. */
export function replaceTexts(element, change) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const changed = change(text.data);
    if (changed !== text.data) text.data = changed;
  }
}

/** The day on which the examples were written. Their other days keep their distance from it. */
const exampleToday = Date.UTC(2026, 2, 9);

const msPerDay = 86_400_000;

/** Returns a text in which the days of examples are relative to today. Times stay. */
export const withCurrentDays = (text) =>
  text.replaceAll(/\b20\d\d-\d\d-\d\d\b(?!T)/g, (day) => {
    const distance = Date.parse(day) - exampleToday;
    return new Date(Math.floor(Date.now() / msPerDay) * msPerDay + distance).toISOString().slice(0, 10);
  });

const label = 'Copy';

/** Adds the button to the bar of each panel of code. It copies the code that the panel shows. */
export function addCopyButtons(container) {
  for (const panel of container.querySelectorAll('.panel:has(pre.code)')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = label;
    button.addEventListener('click', async () => {
      const block = [...panel.querySelectorAll('pre.code')].find((one) => one.checkVisibility());
      // `innerText` has no lines that are hidden.
      await navigator.clipboard.writeText(block.innerText);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = label;
      }, 1500);
    });
    panel.querySelector('.bar').append(button);
  }
}

const paths = {
  Copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  Copied: 'M5 12.5l4.5 4.5L19 7.5',
};

const icon = (path) => `<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;

function show(button, label) {
  button.innerHTML = `${icon(paths[label])}<span>${label}</span>`;
  button.toggleAttribute('data-copied', label === 'Copied');
}

/** Adds the button to the bar of each panel of code. It copies the code that the panel shows. */
export function addCopyButtons(container) {
  for (const panel of container.querySelectorAll('.panel:has(pre.code)')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    show(button, 'Copy');
    button.addEventListener('click', async () => {
      const block = [...panel.querySelectorAll('pre.code')].find((one) => one.checkVisibility());
      // `innerText` has no lines that are hidden.
      await navigator.clipboard.writeText(block.innerText);
      show(button, 'Copied');
      setTimeout(show, 1500, button, 'Copy');
    });
    panel.querySelector('.bar').append(button);
  }
}

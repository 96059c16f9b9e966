/** Rows of filters: a field, an operator and a value. */

const names = {
  '': 'is',
  ne: 'is not',
  in: 'is one of',
  notIn: 'is none of',
  lt: 'is below',
  lte: 'is at most',
  gt: 'is above',
  gte: 'is at least',
  startsWith: 'starts with',
  contains: 'contains',
  isNull: 'is null',
  isEmpty: 'is empty',
  all: 'has all of',
};

const ofBooleans = new Set(['isNull', 'isEmpty']);
const ofSeveral = new Set(['in', 'notIn', 'all']);

const optionOf = (value, text, chosen) => new Option(text, value, false, value === chosen);

/** Returns the control for a value: a drop-down where one of a few values is wanted, otherwise a text with suggestions. */
function valueControl(operator, values, value) {
  const known = ofBooleans.has(operator) ? ['true', 'false'] : values;
  if (known.length > 0 && !ofSeveral.has(operator)) {
    const select = document.createElement('select');
    // A value that the API does not enumerate, such as a status of the app, can be typed as "is one of".
    select.append(...new Set([...(value && !ofBooleans.has(operator) ? [value] : []), ...known]));
    select.replaceChildren(
      ...[...new Set([...(value && !ofBooleans.has(operator) ? [value] : []), ...known])].map((one) =>
        optionOf(one, one, value),
      ),
    );
    return select;
  }
  const input = document.createElement('input');
  input.type = 'text';
  input.autocomplete = 'off';
  input.spellcheck = false;
  input.value = value;
  if (ofSeveral.has(operator)) input.placeholder = values.slice(0, 2).join(',') || 'a,b';
  return input;
}

class FilterRow {
  element = document.createElement('div');
  #choices;
  #field = document.createElement('select');
  #operator = document.createElement('select');
  #value;

  constructor(choices, field, operator, value) {
    this.#choices = choices;
    this.element.className = 'filter-row';
    this.#field.ariaLabel = 'Field';
    this.#operator.ariaLabel = 'Operator';
    this.#field.append(...Object.keys(choices).map((one) => optionOf(one, one, field)));
    const remove = document.createElement('button');
    remove.type = 'button';
    remove.textContent = '×';
    remove.ariaLabel = 'Remove the filter';
    this.element.append(this.#field, this.#operator, remove);
    this.#field.addEventListener('change', () => this.#showOperators(''));
    this.#operator.addEventListener('change', () => this.#showValue(''));
    remove.addEventListener('click', () => {
      const { parentElement } = this.element;
      this.element.remove();
      parentElement.dispatchEvent(new Event('input', { bubbles: true }));
    });
    this.#showOperators(operator);
    this.#showValue(value);
  }

  #showOperators(operator) {
    const [operators] = this.#choices[this.#field.value];
    this.#operator.replaceChildren(...operators.map((one) => optionOf(one, names[one] ?? one, operator)));
    this.#showValue('');
  }

  #showValue(value) {
    const [, values] = this.#choices[this.#field.value];
    this.#value?.remove();
    this.#value = valueControl(this.#operator.value, values, value);
    this.#value.ariaLabel = 'Value';
    this.#operator.after(this.#value);
  }

  /** Returns the parameter; `undefined` without a value. */
  get parameter() {
    const value = this.#value.value.trim();
    const operator = this.#operator.value;
    return value === ''
      ? undefined
      : [operator ? `${this.#field.value}[${operator}]` : this.#field.value, value];
  }
}

/** The filters of a form. */
export class Filters {
  #rows = [];
  #list;
  #choices;

  /** @param fieldset of the form. Nested lists have the choices of the list of all. */
  constructor(fieldset) {
    const owner = fieldset.dataset.choices
      ? fieldset
      : document.querySelector(`#${fieldset.dataset.filters} [data-choices]`);
    this.#choices = JSON.parse(owner.dataset.choices);
    this.#list = fieldset.querySelector('[data-rows]');
    fieldset.querySelector('[data-add]').addEventListener('click', () => {
      this.add('', '', '').querySelector('select').focus();
    });
  }

  isFilter(name) {
    return name.replace(/\[.*/, '') in this.#choices;
  }

  add(field, operator, value) {
    const row = new FilterRow(this.#choices, field, operator, value);
    this.#rows.push(row);
    this.#list.append(row.element);
    return row.element;
  }

  get parameters() {
    return this.#rows
      .filter(({ element }) => element.isConnected)
      .flatMap(({ parameter }) => (parameter ? [parameter] : []));
  }
}

/** Scopes that belong to no resource. */

/** Sees and changes everything, also what only members see. It is no verb: the function that makes claims takes it from all users who are no administrators. */
export const allProjectsScope = 'all-projects';
